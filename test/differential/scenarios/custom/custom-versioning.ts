import {
  defined,
  definition,
  getDefinition,
  GROUP,
  instance,
  object,
  patchDefinition,
  resource,
  served,
  undefine,
  version,
} from '../../compared-definition.ts'
import { at, create, get, MERGE_PATCH, patch, put, remove, type Scenario, type Step } from '../../scenario.ts'
import type { Answers } from '../../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const [one, two] = [resource('gauges'), resource('gauges', 'v2')]
const text = { type: 'string' }
const schemas: readonly Tree[] = [
  object({ spec: object({ a: text, b: { type: 'string', default: 'one' } }) }),
  object({ spec: object({ a: text, c: { type: 'string', default: 'two' } }), status: object({ d: text }) }),
]
const both = (stored: 'v1' | 'v2', more: readonly [Tree, Tree] = [{}, {}]): readonly unknown[] => [
  version('v1', schemas[0], { storage: stored === 'v1', ...more[0] }),
  version('v2', schemas[1], { storage: stored === 'v2', ...more[1] }),
]
const end: readonly Step[] = [undefine('gauges')]
const from =
  (name: string, change: Tree) =>
  (answers: Answers): unknown => ({ ...answers[name]?.body, ...change })

export const scenarios: readonly Scenario[] = [
  {
    name: 'an object is shown in every version that is served, by the schema of each',
    steps: [
      ...defined(definition('Gauge', both('v1', [{}, { subresources: { status: {} } }])), 'gauges'),
      served('gauges', 'v2'),
      { method: 'GET', path: `/apis/${GROUP}` },
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}/v2` },
      create(one, instance('Gauge', 'a', { spec: { a: 'x' } })),
      create(two, instance('Gauge', 'b', { spec: { a: 'y', c: 'own' } }, 'v2')),
      create(two, instance('Gauge', 'c', { spec: { a: 'y' } })),
      create(one, instance('Gauge', 'c', { spec: { a: 'y' } }, 'v2')),
      { ...get(one, 'b'), name: 'b1' },
      { ...get(two, 'b'), name: 'b2' },
      get(two, 'a'),
      { method: 'GET', path: at(one) },
      { method: 'GET', path: at(two) },
      put(two, 'a', from('b1', {})),
      put(one, 'b', from('b2', {})),
      put(two, 'b', from('b2', { spec: { a: 'z' } })),
      patch(MERGE_PATCH, one, 'b', { spec: { b: 'patched' } }),
      patch(MERGE_PATCH, two, 'b', { spec: { c: 'patched' } }),
      patch(MERGE_PATCH, two, 'b', { metadata: { labels: { l: 'm' } } }),
      { method: 'GET', path: at(one, 'b', 'status') },
      { method: 'GET', path: at(two, 'b', 'status') },
      get(one, 'b'),
      remove(two, 'a'),
      get(one, 'a'),
      patchDefinition('gauges', { spec: { versions: both('v2') } }),
      { ...get(two, 'b'), eventually: true },
      get(one, 'b'),
      create(one, instance('Gauge', 'd', { spec: { a: 'x', b: 'kept' } })),
      get(two, 'd'),
      { ...getDefinition('gauges'), eventually: true },
      patchDefinition('gauges', { spec: { versions: both('v2', [{ served: false }, {}]) } }),
      { ...get(one, 'b'), eventually: true },
      get(two, 'b'),
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}` },
      ...end,
    ],
  },
  {
    name: 'versions are listed by their age and maturity',
    steps: [
      ...defined(
        definition(
          'Widget',
          ['v1alpha1', 'v10', 'foo', 'v2beta1', 'v2', 'v1beta2', 'bar1'].map((name) =>
            version(name, { type: 'object' }, { storage: name === 'foo', served: name !== 'bar1' }),
          ),
        ),
        'gauges',
        'v2',
      ),
      { method: 'GET', path: `/apis/${GROUP}`, eventually: true },
      { method: 'GET', path: `/apis/${GROUP}/foo`, eventually: true },
      { method: 'GET', path: `/apis/${GROUP}/bar1` },
      ...end,
    ],
  },
  {
    name: 'a deprecated version warns',
    steps: [
      ...defined(
        definition(
          'Gauge',
          both('v1', [{ deprecated: true }, { deprecated: true, deprecationWarning: 'use "nothing" at all' }]),
        ),
        'gauges',
      ),
      served('gauges', 'v2'),
      create(one, instance('Gauge', 'a', { spec: { a: 'x' } })),
      get(one, 'a'),
      get(two, 'a'),
      remove(two, 'a'),
      ...end,
    ],
  },
]
