import { defined, definition, instance, object, resource, undefine, version } from '../../compared-definition.ts'
import {
  at,
  create,
  get,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  put,
  remove,
  type Scenario,
  type Step,
  STRATEGIC_PATCH,
} from '../../scenario.ts'
import type { Answers } from '../../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const gauges = resource('gauges')
const whole = { type: 'integer' }
const text = { type: 'string' }
const schema = object({
  spec: object({ replicas: whole, size: { type: 'string', default: 'small' } }),
  status: object({ replicas: whole, selector: text, phase: text }),
  other: text,
})
const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
}
const start = (subresources: unknown, of: unknown = schema): readonly Step[] =>
  defined(definition('Gauge', [version('v1', of, { subresources })]), 'gauges')
const end: readonly Step[] = [undefine('gauges')]
const sub = (method: Step['method'], name: string, subresource: string, body?: unknown, type?: string): Step => ({
  method,
  path: at(gauges, name, subresource),
  ...(body === undefined ? {} : { body }),
  ...(type === undefined ? {} : { type }),
})
const from =
  (name: string, change: Tree) =>
  (answers: Answers): unknown => ({ ...answers[name]?.body, ...change })
const scaleTo = (replicas: unknown, more: Tree = {}): Tree => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'a', namespace: 'WORD', ...more },
  spec: { replicas },
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'a status has its own address',
    steps: [
      ...start({ status: {} }),
      create(gauges, instance('Gauge', 'a', { spec: { replicas: 1 }, status: { phase: 'sent' } })),
      { ...sub('GET', 'a', 'status'), name: 'a' },
      sub('PUT', 'a', 'status', instance('Gauge', 'a', { status: { phase: 'put' } })),
      {
        ...sub(
          'PUT',
          'a',
          'status',
          from('a', { status: { phase: 'put', unknown: 1 }, spec: { replicas: 7 }, other: 'x' }),
        ),
        name: 'a',
      },
      put(gauges, 'a', from('a', { status: { phase: 'main' }, spec: { replicas: 2 }, other: 'y' })),
      { ...get(gauges, 'a'), name: 'a' },
      put(gauges, 'a', from('a', { status: null })),
      put(gauges, 'a', from('a', { metadata: { name: 'a' }, status: { phase: 'none' } })),
      sub('PATCH', 'a', 'status', { status: { phase: 'patched' }, spec: { replicas: 9 } }, MERGE_PATCH),
      sub(
        'PATCH',
        'a',
        'status',
        { metadata: { labels: { l: 'm' }, annotations: { a: 'b' }, finalizers: ['example.com/f'] } },
        MERGE_PATCH,
      ),
      sub('PATCH', 'a', 'status', { status: { phase: 3 } }, MERGE_PATCH),
      sub('PATCH', 'a', 'status', [{ op: 'replace', path: '/status/phase', value: 'json' }], JSON_PATCH),
      sub('PATCH', 'a', 'status', { status: {} }, STRATEGIC_PATCH),
      patch(MERGE_PATCH, gauges, 'a', { status: { phase: 'main' }, spec: { replicas: 3 } }),
      patch(MERGE_PATCH, gauges, 'a', { status: { phase: 4 } }),
      patch(MERGE_PATCH, gauges, 'a', { metadata: { labels: { l: 'n' } } }),
      sub('PATCH', 'a', 'status', { status: null }, MERGE_PATCH),
      sub('GET', 'absent', 'status'),
      sub('PUT', 'absent', 'status', instance('Gauge', 'absent', { status: {} })),
      sub('PATCH', 'absent', 'status', { status: {} }, MERGE_PATCH),
      sub('DELETE', 'a', 'status'),
      sub('POST', 'a', 'status', instance('Gauge', 'a')),
      sub('GET', 'a', 'scale'),
      patch(MERGE_PATCH, gauges, 'a', { metadata: { finalizers: null } }),
      remove(gauges, 'a'),
      ...end,
    ],
  },
  {
    name: 'without a status of its own everything is written at once',
    steps: [
      ...start({}),
      create(gauges, instance('Gauge', 'a', { spec: { replicas: 1 }, status: { phase: 'sent' } })),
      patch(MERGE_PATCH, gauges, 'a', { status: { phase: 'main' } }),
      patch(MERGE_PATCH, gauges, 'a', { other: 'x' }),
      patch(MERGE_PATCH, gauges, 'a', { metadata: { labels: { a: 'b' } } }),
      sub('PUT', 'a', 'status', instance('Gauge', 'a')),
      sub('PATCH', 'a', 'status', { status: {} }, MERGE_PATCH),
      sub('PATCH', 'a', 'scale', { spec: { replicas: 2 } }, MERGE_PATCH),
      ...end,
    ],
  },
  {
    name: 'a scale is read and written',
    steps: [
      ...start({ status: {}, scale }),
      { method: 'GET', path: '/apis/WORD.example.com/v1' },
      create(gauges, instance('Gauge', 'a', { spec: { replicas: 2 } })),
      sub('GET', 'a', 'scale'),
      sub('PATCH', 'a', 'status', { status: { replicas: 1, selector: 'app=a' } }, MERGE_PATCH),
      { ...sub('GET', 'a', 'scale'), name: 'scale' },
      sub('PUT', 'a', 'scale', scaleTo(5)),
      sub('PUT', 'a', 'scale', from('scale', { spec: { replicas: 6 } })),
      sub('PUT', 'a', 'scale', scaleTo(-1)),
      sub('PUT', 'a', 'scale', scaleTo(undefined)),
      sub('PUT', 'a', 'scale', scaleTo(3, { resourceVersion: '1' })),
      sub('PUT', 'a', 'scale', scaleTo(3, { name: 'b' })),
      sub('PUT', 'a', 'scale', scaleTo(3, { uid: 'x' })),
      sub('PATCH', 'a', 'scale', { spec: { replicas: 4 } }, MERGE_PATCH),
      sub('PATCH', 'a', 'scale', { spec: { replicas: 4 }, status: { replicas: 9 } }, MERGE_PATCH),
      sub('PATCH', 'a', 'scale', [{ op: 'replace', path: '/spec/replicas', value: 8 }], JSON_PATCH),
      sub('PATCH', 'a', 'scale', { spec: { replicas: 9 } }, STRATEGIC_PATCH),
      sub('PATCH', 'a', 'scale', { spec: { replicas: -4 } }, MERGE_PATCH),
      sub('DELETE', 'a', 'scale'),
      sub('GET', 'absent', 'scale'),
      sub('PUT', 'absent', 'scale', scaleTo(3, { name: 'absent' })),
      sub('PATCH', 'absent', 'scale', { spec: { replicas: 9 } }, MERGE_PATCH),
      get(gauges, 'a'),
      create(gauges, instance('Gauge', 'bare', {})),
      sub('GET', 'bare', 'scale'),
      sub('PATCH', 'bare', 'scale', { spec: { replicas: 1 } }, MERGE_PATCH),
      create(gauges, instance('Gauge', 'less', { spec: { replicas: -3 } })),
      sub('GET', 'less', 'scale'),
      ...end,
    ],
  },
  {
    name: 'a scale of invalid numbers',
    steps: [
      ...start(
        { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '.spec.b' } },
        {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
        },
      ),
      create(gauges, instance('Gauge', 'a', { spec: { a: 'x' } })),
      create(gauges, instance('Gauge', 'b', { spec: { a: 1, b: 2 }, status: { a: 'y' } })),
      create(gauges, instance('Gauge', 'c', { spec: { a: 1.5 } })),
      create(gauges, instance('Gauge', 'd', { spec: 'text' })),
      ...['c'].map((name) => sub('GET', name, 'scale')),
      ...end,
    ],
  },
]
