import {
  defined,
  definition,
  getDefinition,
  instance,
  object,
  resource,
  undefine,
  version,
} from '../../compared-definition.ts'
import {
  apply,
  APPLY_PATCH,
  at,
  create,
  get,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  type Scenario,
  type Step,
} from '../../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const widgets = resource('widgets')
const end: readonly Step[] = [undefine('widgets'), { ...getDefinition('widgets'), eventually: true }]
const text = { type: 'string' }
const list = (items: unknown, more: Tree): Tree => ({ type: 'array', items, ...more })

const spec = object({
  a: text,
  n: { type: 'integer' },
  set: list(text, { 'x-kubernetes-list-type': 'set' }),
  plain: list(text, {}),
  numbers: list({ type: 'integer' }, { 'x-kubernetes-list-type': 'set' }),
  ports: list(
    object({ port: { type: 'integer' }, protocol: { ...text, default: 'TCP' }, note: text }, { required: ['port'] }),
    {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
  ),
  atomic: object({ x: text, y: text }, { 'x-kubernetes-map-type': 'atomic' }),
  bag: { type: 'object', additionalProperties: text },
  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  defaulted: { ...text, default: 'd' },
})
const status = object({
  b: text,
  c: text,
  conditions: list(object({ type: text, status: text }, { required: ['type'] }), {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  }),
})
const schema = object({ spec, status })
const plain = defined(definition('Widget', [version('v1', schema)]), 'widgets')
const withStatus = defined(
  definition('Widget', [
    version('v1', schema, {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
    }),
  ]),
  'widgets',
)
const widget = (fields: Tree, name = 'a'): unknown => instance('Widget', name, fields)
const applied = (manager: string, fields: Tree, query = ''): Step => apply(manager, widgets, 'a', widget(fields), query)
const under = (manager: string, sub: string, body: unknown, query = ''): Step => ({
  method: 'PATCH',
  path: `${at(widgets, 'a', sub)}?fieldManager=${manager}${query}`,
  type: APPLY_PATCH,
  body,
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'a custom resource is merged by its schema',
    steps: [
      ...plain,
      applied('one', {
        spec: { a: 'x', set: ['p', 'q'], plain: ['p'], numbers: [2, 1], bag: { k: 'v' }, open: { x: 1 } },
      }),
      applied('one', {
        spec: { a: 'x', set: ['p', 'q'], plain: ['p'], numbers: [2, 1], bag: { k: 'v' }, open: { x: 1 } },
      }),
      applied('two', {
        spec: { set: ['q', 'r'], numbers: [1, 3], bag: { l: 'w' }, open: { y: 2, list: [1, { a: 'b' }] } },
      }),
      applied('two', { spec: { a: 'y', plain: ['q'], bag: { k: 'w' }, open: { x: 3 } } }),
      applied('two', { spec: { a: 'y', plain: ['q'], bag: { k: 'w' }, open: { x: 3 } } }, '&force=true'),
      applied('one', { spec: { set: ['p'], numbers: [2], plain: ['p'], open: { z: 1 }, defaulted: 'mine' } }),
      applied('two', { spec: { set: ['r'], numbers: [3], bag: { l: 'w' }, open: { y: 2 }, atomic: { x: '1' } } }),
      applied('three', { spec: { atomic: { y: '1' } } }),
      get(widgets, 'a'),
      ...end,
    ],
  },
  {
    name: 'the items of a custom resource are identified by their keys, and keys by their defaults',
    steps: [
      ...plain,
      applied('one', { spec: { ports: [{ port: 80, protocol: 'TCP', note: 'a' }] } }),
      applied('two', { spec: { ports: [{ port: 80, protocol: 'UDP', note: 'b' }] } }),
      applied('three', { spec: { ports: [{ port: 80, protocol: 'TCP', note: 'c' }] } }),
      applied('four', { spec: { ports: [{ port: 81, note: 'd' }] } }),
      applied('five', { spec: { ports: [{ port: 80, note: 'e' }] } }),
      applied('one', {
        spec: {
          ports: [
            { port: 80, protocol: 'TCP' },
            { port: 80, protocol: 'TCP' },
          ],
        },
      }),
      applied('one', { spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] } }),
      applied('one', { spec: { ports: [] } }),
      get(widgets, 'a'),
      ...end,
    ],
  },
  {
    name: 'what a schema does not know or allow is not applied',
    steps: [
      ...plain,
      applied('one', { spec: { b: 'x' } }),
      applied('one', { other: 'x' }),
      applied('one', { spec: { a: 1 } }),
      applied('one', { spec: { n: 'x' } }),
      applied('one', { spec: { set: ['a', 'a'] } }),
      applied('one', { spec: { set: [{}] } }),
      applied('one', { spec: { set: 'a' } }),
      applied('one', { spec: { bag: { k: 1 } } }),
      applied('one', { spec: [] }),
      applied('one', { metadata: { name: 'a', label: {} } }),
      applied('one', { metadata: { name: 'a', labels: { a: 1 } } }),
      applied('one', { metadata: { name: 'a', managedFields: [] } }),
      applied('one', { metadata: { name: 'b' } }),
      applied('one', { metadata: {} }),
      apply('one', widgets, 'a', { ...instance('Widget', 'a'), kind: 'Stone' }),
      apply('one', widgets, 'a', instance('Widget', 'a', {}, 'v2')),
      apply('one', widgets, 'a', {}),
      apply('one', widgets, 'a', '[]'),
      applied('one', { spec: { a: 'x' } }),
      applied('one', { spec: { a: 'x', n: null } }),
      ...end,
    ],
  },
  {
    name: 'a custom resource that was made otherwise has managers too',
    steps: [
      ...plain,
      create(
        widgets,
        widget({ spec: { a: 'x', unheard: 'y', set: ['p'], ports: [{ port: 80 }] }, status: { b: 'c', c: 'c' } }),
        '?fieldManager=creator',
      ),
      patch(MERGE_PATCH, widgets, 'a', { spec: { a: 'y' }, status: { b: 'd' } }, '?fieldManager=merger'),
      patch(JSON_PATCH, widgets, 'a', [{ op: 'add', path: '/spec/set/-', value: 'q' }], '?fieldManager=json'),
      applied('one', { spec: { a: 'z', set: ['p'] } }),
      applied('one', { spec: { a: 'z', set: ['r'] } }, '&force=true'),
      patch(MERGE_PATCH, widgets, 'a', { metadata: { managedFields: [{}] } }),
      applied('one', { spec: { a: 'z' } }),
      patch(MERGE_PATCH, widgets, 'a', { spec: null }, '?fieldManager=eraser'),
      ...end,
    ],
  },
  {
    name: 'spec, status and scale of a custom resource are applied apart',
    steps: [
      ...withStatus,
      applied('one', { spec: { a: 'x', n: 2 } }),
      under('two', 'status', widget({ status: { b: 'c', conditions: [{ type: 'Ready', status: 'True' }] } })),
      under('three', 'status', widget({ status: { conditions: [{ type: 'Other', status: 'True' }] } })),
      under('three', 'status', widget({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })),
      under('three', 'status', widget({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }), '&force=true'),
      {
        ...patch(MERGE_PATCH, widgets, 'a', { status: { b: 'd' } }, '?fieldManager=four'),
        path: `${at(widgets, 'a', 'status')}?fieldManager=four`,
      },
      applied('one', { spec: { a: 'y', n: 2 } }),
      { method: 'GET', path: at(widgets, 'a', 'scale') },
      { method: 'PATCH', path: at(widgets, 'a', 'scale'), type: MERGE_PATCH, body: { spec: { replicas: 3 } } },
      {
        method: 'PATCH',
        path: at(widgets, 'a', 'scale'),
        type: 'application/strategic-merge-patch+json',
        body: { spec: { replicas: 3 } },
      },
      ...end,
    ],
  },
]
