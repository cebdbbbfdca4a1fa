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
} from '../../compared-definition.ts'
import { apply, create, get, MERGE_PATCH, patch, put, remove, type Scenario, type Step } from '../../scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const widgets = resource('widgets')
const text = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}
const widget = (name: string, fields: Tree): Tree => instance('Widget', name, fields)
const start = (schema: unknown, more: Tree = {}): readonly Step[] =>
  defined(definition('Widget', [version('v1', schema, more)]), 'widgets')
const end: readonly Step[] = [undefine('widgets')]
const another = (schema: unknown): Step => patchDefinition('widgets', { spec: { versions: [version('v1', schema)] } })

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
      create(widgets, widget('root', { spec: { a: 'x' }, status: { b: 1 }, extra: true, metadata2: {} })),
      create(widgets, widget('deep', { spec: { z: 1, deep: { b: { c: 'x', y: 2 }, y: 1 } } })),
      create(
        widgets,
        widget('list', { spec: { list: [{ d: 'x', y: 1 }, {}, { y: 2 }], lists: [[{ e: 'x', y: 1 }], []] } }),
      ),
      create(widgets, widget('map', { spec: { map: { one: { f: 'x', y: 1 }, two: {} } } })),
      create(
        widgets,
        widget('open', { spec: { anything: { x: 1 }, any: [{ x: 1 }], bare: { x: 1 }, loose: { x: { y: 1 } } } }),
      ),
      create(widgets, widget('half', { spec: { half: { known: { g: 'x', y: 1 }, more: { z: 1 } } } })),
      put(widgets, 'root', widget('root', { spec: { a: 'y', b: 'z' } })),
      patch(MERGE_PATCH, widgets, 'root', { spec: { deep: { q: 1, b: { q: 2, c: 'w' } } }, q: 3 }),
      apply('one', widgets, 'applied', widget('applied', { spec: { a: 'x' } })),
      get(widgets, 'root'),
      ...end,
    ],
  },
  {
    name: 'a root that preserves what it does not know keeps it',
    steps: [
      ...start({ ...open, properties: { spec: object({ a: text }) } }),
      create(widgets, widget('a', { spec: { a: 'x', b: 1 }, extra: { y: [1, null, { z: null }] }, nothing: null })),
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
      create(widgets, widget('bare', { spec: { one: {} } })),
      create(
        widgets,
        widget('good', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { y: 1 } } } }),
      ),
      create(
        widgets,
        widget('extra', {
          spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', unheard: 1, labels: { a: 'b' } } } },
        }),
      ),
      create(widgets, widget('name', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { name: '..' } } } })),
      create(widgets, widget('kind', { spec: { one: { apiVersion: 'v1', kind: '%' } } })),
      create(widgets, widget('group', { spec: { one: { apiVersion: 'a/b/c', kind: 'Pod' } } })),
      create(widgets, widget('types', { spec: { one: { apiVersion: 1, kind: 'Pod' } } })),
      create(
        widgets,
        widget('labels', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { 'a b': 'c' } } } } }),
      ),
      create(
        widgets,
        widget('numbers', {
          spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: null }, finalizers: null } } },
        }),
      ),
      create(widgets, widget('items', { spec: { list: [{ kind: 'Pod' }, { apiVersion: 'v1' }] } })),
      create(widgets, widget('values', { spec: { map: { x: {} } } })),
      create(widgets, widget('null', { spec: { one: { apiVersion: 'v1', kind: 'Pod', metadata: null } } })),
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
      create(widgets, widget('nothing', {})),
      create(widgets, widget('spec', { spec: {} })),
      create(widgets, widget('null', { spec: null })),
      create(
        widgets,
        widget('nulls', { spec: { a: null, n: null, may: null, null: null, deep: null, list: null, map: null } }),
      ),
      create(
        widgets,
        widget('deep', {
          spec: { deep: {}, list: [{}, { e: 'own' }, { e: null }], map: { one: {}, two: { f: false } }, open: {} },
        }),
      ),
      create(widgets, widget('inner', { spec: { texts: ['a', null], whole: {} } })),
      create(widgets, widget('status', { status: {} })),
      patch(MERGE_PATCH, widgets, 'nothing', { spec: { a: null, n: 5 } }),
      put(widgets, 'spec', widget('spec', { spec: { a: 'put' } })),
      ...end,
    ],
  },
  {
    name: 'what is stored is shown by the schema that is current',
    steps: [
      ...start(object({ spec: object({ a: text, b: text }) })),
      create(widgets, widget('old', { spec: { a: 'x', b: 'y' } })),
      create(widgets, widget('patched', { spec: { a: 'x', b: 'y' } })),
      create(widgets, widget('deleted', { spec: { a: 'x', b: 'y' } })),
      another(object({ spec: object({ a: text, c: { type: 'string', default: 'new' } }) })),
      { ...get(widgets, 'old'), eventually: true },
      served('widgets'),
      {
        method: 'GET',
        path: '/apis/WORD.example.com/v1/widgets',
        headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      },
      patch(MERGE_PATCH, widgets, 'patched', { metadata: { labels: { l: 'm' } } }),
      patch(MERGE_PATCH, widgets, 'patched', { spec: { b: 'again' } }),
      remove(widgets, 'deleted'),
      create(widgets, widget('fresh', { spec: { a: 'x', b: 'y' } })),
      another(object({ spec: object({ a: text, b: text, c: text }) })),
      { ...get(widgets, 'old'), eventually: true },
      get(widgets, 'patched'),
      get(widgets, 'fresh'),
      patch(MERGE_PATCH, widgets, 'old', { spec: { a: 'z' } }),
      another(object({ spec: object({ a: { type: 'integer' } }) })),
      { ...get(widgets, 'old'), eventually: true },
      remove(widgets, 'old'),
      ...end,
    ],
  },
]
