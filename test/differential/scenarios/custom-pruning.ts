import {
  defined,
  definition,
  instance,
  object,
  patchDefinition,
  resource,
  served,
  undefine,
  version,
} from '../custom-definition.ts'
import { apply, create, get, MERGE_PATCH, patch, put, remove, type Scenario, type Step } from '../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const gems = resource('gems')
const text = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}
const gem = (name: string, fields: Tree): Tree => instance('Gem', name, fields)
const start = (schema: unknown, more: Tree = {}): readonly Step[] =>
  defined(definition('Gem', [version('v1', schema, more)]), 'gems')
const end: readonly Step[] = [undefine('gems')]
const another = (schema: unknown): Step => patchDefinition('gems', { spec: { versions: [version('v1', schema)] } })

export const scenarios: readonly Scenario[] = [
  {
    name: 'fields that a schema does not know are pruned',
    steps: [
      ...start(
        object({
          spec: object({
            a: text,
            deep: object({ b: object({ c: text }) }),
            list: { type: 'array', items: object({ d: text }) },
            lists: { type: 'array', items: { type: 'array', items: object({ e: text }) } },
            map: { type: 'object', additionalProperties: object({ f: text }) },
            anything: open,
            half: { ...open, properties: { known: object({ g: text }) } },
            any: { 'x-kubernetes-preserve-unknown-fields': true },
            bare: { type: 'object' },
            loose: { type: 'object', additionalProperties: true },
          }),
        }),
      ),
      create(gems, gem('root', { spec: { a: 'x' }, status: { b: 1 }, extra: true, metadata2: {} })),
      create(gems, gem('deep', { spec: { z: 1, deep: { b: { c: 'x', y: 2 }, y: 1 } } })),
      create(gems, gem('list', { spec: { list: [{ d: 'x', y: 1 }, {}, { y: 2 }], lists: [[{ e: 'x', y: 1 }], []] } })),
      create(gems, gem('map', { spec: { map: { one: { f: 'x', y: 1 }, two: {} } } })),
      create(
        gems,
        gem('open', { spec: { anything: { x: 1 }, any: [{ x: 1 }], bare: { x: 1 }, loose: { x: { y: 1 } } } }),
      ),
      create(gems, gem('half', { spec: { half: { known: { g: 'x', y: 1 }, more: { z: 1 } } } })),
      put(gems, 'root', gem('root', { spec: { a: 'y', b: 'z' } })),
      patch(MERGE_PATCH, gems, 'root', { spec: { deep: { q: 1, b: { q: 2, c: 'w' } } }, q: 3 }),
      apply('one', gems, 'applied', gem('applied', { spec: { a: 'x' } })),
      get(gems, 'root'),
      ...end,
    ],
  },
  {
    name: 'a root that preserves what it does not know keeps it',
    steps: [
      ...start({ ...open, properties: { spec: object({ a: text }) } }),
      create(gems, gem('a', { spec: { a: 'x', b: 1 }, extra: { y: [1, null, { z: null }] }, nothing: null })),
      ...end,
    ],
  },
  {
    name: 'embedded resources are checked as resources',
    steps: [
      ...start(
        object({
          spec: object({
            one: embedded,
            list: { type: 'array', items: embedded },
            map: { type: 'object', additionalProperties: embedded },
          }),
        }),
      ),
      create(gems, gem('bare', { spec: { one: {} } })),
      create(
        gems,
        gem('good', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { y: 1 } } } }),
      ),
      create(
        gems,
        gem('extra', {
          spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', unheard: 1, labels: { a: 'b' } } } },
        }),
      ),
      create(gems, gem('name', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: '..' } } } })),
      create(gems, gem('kind', { spec: { one: { apiVersion: 'v1', kind: '%' } } })),
      create(gems, gem('group', { spec: { one: { apiVersion: 'a/b/c', kind: 'Pod' } } })),
      create(gems, gem('types', { spec: { one: { apiVersion: 1, kind: 'Pod' } } })),
      create(
        gems,
        gem('labels', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { 'a b': 'c' } } } } }),
      ),
      create(
        gems,
        gem('numbers', {
          spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: null }, finalizers: null } } },
        }),
      ),
      create(gems, gem('items', { spec: { list: [{ kind: 'Pod' }, { apiVersion: 'v1' }] } })),
      create(gems, gem('values', { spec: { map: { x: {} } } })),
      create(gems, gem('null', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: null } } })),
      ...end,
    ],
  },
  {
    name: 'defaults are set where nothing is said',
    steps: [
      ...start(
        object({
          spec: object(
            {
              a: { type: 'string', default: 'x' },
              n: { type: 'integer', default: 3 },
              may: { type: 'string', nullable: true, default: 'y' },
              null: { type: 'string', nullable: true },
              deep: object({ b: { type: 'string', default: 'z' } }),
              whole: object({ c: { type: 'string', default: 'w' }, d: text }, { default: { d: 'v' } }),
              list: { type: 'array', items: object({ e: { type: 'string', default: 'u' } }) },
              map: { type: 'object', additionalProperties: object({ f: { type: 'boolean', default: true } }) },
              texts: { type: 'array', items: { type: 'string', default: 'q' } },
              open: { ...open, properties: { g: { type: 'number', default: 1.5 } } },
            },
            { default: {} },
          ),
          status: object({ s: { type: 'string', default: 'status' } }),
        }),
      ),
      create(gems, gem('nothing', {})),
      create(gems, gem('spec', { spec: {} })),
      create(gems, gem('null', { spec: null })),
      create(
        gems,
        gem('nulls', { spec: { a: null, n: null, may: null, null: null, deep: null, list: null, map: null } }),
      ),
      create(
        gems,
        gem('deep', {
          spec: { deep: {}, list: [{}, { e: 'own' }, { e: null }], map: { one: {}, two: { f: false } }, open: {} },
        }),
      ),
      create(gems, gem('inner', { spec: { texts: ['a', null], whole: {} } })),
      create(gems, gem('status', { status: {} })),
      patch(MERGE_PATCH, gems, 'nothing', { spec: { a: null, n: 5 } }),
      put(gems, 'spec', gem('spec', { spec: { a: 'put' } })),
      ...end,
    ],
  },
  {
    name: 'what is stored is shown by the schema that is current',
    steps: [
      ...start(object({ spec: object({ a: text, b: text }) })),
      create(gems, gem('old', { spec: { a: 'x', b: 'y' } })),
      create(gems, gem('patched', { spec: { a: 'x', b: 'y' } })),
      create(gems, gem('deleted', { spec: { a: 'x', b: 'y' } })),
      another(object({ spec: object({ a: text, c: { type: 'string', default: 'new' } }) })),
      { ...get(gems, 'old'), eventually: true },
      served('gems'),
      {
        method: 'GET',
        path: '/apis/WORD.example.com/v1/gems',
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      },
      patch(MERGE_PATCH, gems, 'patched', { metadata: { labels: { l: 'm' } } }),
      patch(MERGE_PATCH, gems, 'patched', { spec: { b: 'again' } }),
      remove(gems, 'deleted'),
      create(gems, gem('fresh', { spec: { a: 'x', b: 'y' } })),
      another(object({ spec: object({ a: text, b: text, c: text }) })),
      { ...get(gems, 'old'), eventually: true },
      get(gems, 'patched'),
      get(gems, 'fresh'),
      patch(MERGE_PATCH, gems, 'old', { spec: { a: 'z' } }),
      another(object({ spec: object({ a: { type: 'integer' } }) })),
      { ...get(gems, 'old'), eventually: true },
      remove(gems, 'old'),
      ...end,
    ],
  },
]
