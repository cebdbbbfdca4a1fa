import { defined, definition, GROUP, instance, resource, undefine, version } from '../../compared-definition.ts'
import { at, create, get, MERGE_PATCH, patch, remove, type Scenario, type Step } from '../../scenario.ts'

const widgets = resource('widgets')
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const start = (spec: Readonly<Record<string, unknown>> = {}): readonly Step[] =>
  defined(definition('Widget', [version('v1', open)], spec), 'widgets')
const end: readonly Step[] = [undefine('widgets')]
const list = (query = '', everywhere = false): Step => ({
  method: 'GET',
  path: (everywhere ? `/apis/${GROUP}/v1/widgets` : at(widgets)) + query,
})
/** One second of a watch, from the creation of the first object on. */
const watch = (query: string, more: Partial<Step> = {}): Step => ({
  ...list(`?watch=true&timeoutSeconds=1${query}`),
  query: (answers) => `&resourceVersion=${answers['begin']?.body.metadata.resourceVersion}`,
  ...more,
})
const widget = (name: string, labels: object): unknown => ({
  ...instance('Widget', name, { spec: { n: name } }),
  metadata: { name, labels },
})
const three: readonly Step[] = [
  create(widgets, widget('a', { app: 'x', tier: 'one' })),
  create(widgets, widget('b', { app: 'y' })),
  create(widgets, widget('c', { app: 'x' })),
]
export const scenarios: readonly Scenario[] = [
  {
    name: 'custom resources are listed and selected',
    steps: [
      ...start(),
      list(),
      ...three,
      list(),
      list('', true),
      list('?labelSelector=app%3Dx'),
      list('?labelSelector=app%20in%20(x,y),tier'),
      list('?labelSelector=!tier'),
      list('?labelSelector=a%3D%3D%3Db'),
      list('?fieldSelector=metadata.name%3Db'),
      list('?fieldSelector=metadata.name!%3Db'),
      list('?fieldSelector=metadata.namespace%3DWORD', true),
      list('?fieldSelector=spec.n%3Da'),
      list('?fieldSelector=metadata.uid%3Da'),
      list('?fieldSelector=status.phase%3Da', true),
      list('?fieldSelector=x'),
      list('?limit=x'),
      list('?resourceVersion=x'),
      list('?resourceVersion=0'),
      list('?timeoutSeconds=x'),
      get(widgets, 'a', '?resourceVersion=0'),
      get(widgets, 'a', '?resourceVersion=x'),
      get(widgets, 'absent'),
      ...end,
    ],
  },
  {
    name: 'custom resources are deleted one by one and together',
    steps: [
      ...start(),
      ...three,
      remove(widgets, 'a', undefined, '?dryRun=All'),
      remove(widgets, 'a'),
      remove(widgets, 'a'),
      remove(widgets, 'b', { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 }),
      remove(widgets, 'c', { propagationPolicy: 'Sideways' }),
      remove(widgets, 'c', { kind: 'Widget' }),
      remove(widgets, 'c', '{'),
      create(widgets, widget('d', { app: 'z' })),
      { method: 'DELETE', path: `${at(widgets)}?labelSelector=app%3Dz` },
      { method: 'DELETE', path: `${at(widgets)}?fieldSelector=spec.a%3Dz` },
      { method: 'DELETE', path: `${at(widgets)}?dryRun=All` },
      list(),
      { method: 'DELETE', path: at(widgets) },
      list(),
      ...end,
    ],
  },
  {
    name: 'custom resources are watched',
    steps: [
      ...start(),
      { ...create(widgets, widget('a', { app: 'x' })), name: 'begin' },
      create(widgets, widget('b', { app: 'y' })),
      patch(MERGE_PATCH, widgets, 'a', { spec: { n: 'z' } }),
      patch(MERGE_PATCH, widgets, 'a', { metadata: { labels: { app: 'y' } } }),
      remove(widgets, 'b'),
      watch(''),
      watch('&labelSelector=app%3Dx'),
      watch('&fieldSelector=metadata.name%3Db'),
      watch('', { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } }),
      watch('', { headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } }),
      list('?watch=true&timeoutSeconds=1&fieldSelector=spec.n%3Da'),
      ...end,
    ],
  },
  {
    name: 'custom resources without namespaces',
    steps: [
      ...start({ scope: 'Cluster' }),
      { method: 'POST', path: `/apis/${GROUP}/v1/widgets`, body: widget('a', {}) },
      {
        method: 'POST',
        path: `/apis/${GROUP}/v1/widgets`,
        body: { ...instance('Widget', 'b'), metadata: { name: 'b', namespace: 'WORD' } },
      },
      { method: 'GET', path: `/apis/${GROUP}/v1/widgets/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/widgets/b` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a` },
      list('', true),
      list('?fieldSelector=metadata.namespace%3DWORD', true),
      list('?fieldSelector=metadata.name%3Da', true),
      { method: 'DELETE', path: `/apis/${GROUP}/v1/widgets/a` },
      { method: 'DELETE', path: `/apis/${GROUP}/v1/widgets` },
      ...end,
    ],
  },
]
