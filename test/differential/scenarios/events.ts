import { at, create, MERGE_PATCH, patch, type Scenario, type Step } from '../scenario.ts'

const NEW = 'events.k8s.io/v1/events'
const OLD = 'events'
const NOW = '2026-01-01T00:00:00.000000Z'
const about = { kind: 'Pod', name: 'p', namespace: 'WORD' }
const whole = {
  metadata: { name: 'whole' },
  regarding: about,
  eventTime: NOW,
  type: 'Normal',
  reason: 'Because',
  action: 'Doing',
  reportingController: 'a.test/one',
  reportingInstance: 'one',
}
const LONG = 'x'.repeat(129)

/** The field selectors of events in one group or the other, and unsupported ones. */
const SELECTABLE = [
  ...['regarding', 'involvedObject'].flatMap((about) =>
    ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath', 'other'].map(
      (field) => `${about}.${field}`,
    ),
  ),
  'reportingController',
  'reportingComponent',
  'reportingInstance',
  'source',
  'deprecatedSource',
  'reason',
  'type',
  'action',
  'note',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

const selected = (resource: string, terms: string): Step => ({
  method: 'GET',
  path: `${at(resource)}?fieldSelector=${encodeURIComponent(terms)}`,
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'events that are wrong in either group',
    steps: [
      {},
      { regarding: about },
      { regarding: about, eventTime: NOW },
      { eventTime: NOW, type: 'Normal', reportingController: 'a b', reportingInstance: 'x', action: 'a', reason: 'r' },
      { ...whole, reportingInstance: LONG, action: LONG, reason: LONG, note: 'x'.repeat(1025) },
      { ...whole, type: 'Odd', series: { count: 1 } },
      { ...whole, series: { count: 2, lastObservedTime: NOW } },
      {
        regarding: about,
        type: 'x',
        deprecatedCount: 2,
        deprecatedSource: { component: 'a' },
        deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
        series: { count: 1 },
      },
      { ...whole, metadata: { name: 'Upper_Case' } },
      { ...whole, regarding: { ...about, namespace: 'elsewhere' } },
    ].flatMap((event, index) => {
      const { regarding, reportingController, ...rest } = {
        regarding: undefined,
        reportingController: undefined,
        ...event,
      }
      const metadata = { name: `e-${index}` }
      return [
        create(NEW, { metadata, ...event }),
        create(OLD, { metadata, ...rest, involvedObject: regarding, reportingComponent: reportingController }),
      ]
    }),
  },
  {
    name: 'changes of events',
    steps: [
      create(NEW, whole),
      patch(MERGE_PATCH, NEW, 'whole', { series: { count: 2, lastObservedTime: NOW } }),
      patch(MERGE_PATCH, NEW, 'whole', { series: { count: 1 } }),
      patch(MERGE_PATCH, NEW, 'whole', { reason: 'Another' }),
      patch(MERGE_PATCH, NEW, 'whole', { note: 'more', action: 'Other', reportingInstance: 'two', type: 'Warning' }),
      patch(MERGE_PATCH, NEW, 'whole', { metadata: { labels: { a: 'b' } } }),
      { method: 'GET', path: at(NEW, 'whole') },
    ],
  },
  {
    name: 'selecting events in either group',
    steps: [
      create(NEW, whole),
      ...[NEW, OLD].flatMap((resource) =>
        SELECTABLE.flatMap((field) => [selected(resource, `${field}=`), selected(resource, `${field}!=nothing`)]),
      ),
      ...['regarding.kind=Pod', 'reportingController=a.test/one', 'reason=Because'].map((terms) =>
        selected(NEW, terms),
      ),
    ],
  },
]
