import {
  define,
  defined,
  definition,
  getDefinition,
  GROUP,
  instance,
  object,
  patchDefinition,
  putDefinition,
  resource,
  served,
  undefine,
  version,
} from '../../compared-definition.ts'
import { create, get, JSON_PATCH, MERGE_PATCH, patch, type Scenario, STRATEGIC_PATCH } from '../../scenario.ts'
import type { Answers } from '../../scenario.ts'

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const plain = definition('Widget', [version('v1', object({ spec: object({ a: { type: 'string' } }) }))])
const two = (first: object, second: object): unknown => [
  version('v1', open, { ...first }),
  version('v2', open, { ...second }),
]

/** The last answer of that name, changed. */
const changed =
  (name: string, change: (spec: Readonly<Record<string, unknown>>) => object) =>
  (answers: Answers): unknown => {
    const body = answers[name]?.body as { readonly spec: Readonly<Record<string, unknown>> }
    return { ...body, spec: { ...body.spec, ...change(body.spec) } }
  }

export const scenarios: readonly Scenario[] = [
  {
    name: 'a definition is created, discovered, and deleted',
    steps: [
      define(plain, '?dryRun=All'),
      define(plain),
      define(plain),
      { ...getDefinition('widgets'), eventually: true },
      getDefinition('widgets', '/status'),
      served('widgets'),
      { method: 'GET', path: `/apis/${GROUP}` },
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}/v2` },
      { method: 'GET', path: `/apis/${GROUP}/v2/widgets` },
      { method: 'GET', path: `/apis/${GROUP}/v1/stones` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/stones/a` },
      { method: 'GET', path: `/apis/other.${GROUP}/v1/widgets` },
      { method: 'GET', path: `/apis/other.${GROUP}` },
      { method: 'GET', path: `/apis/${GROUP}/v1/widgets/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a/status` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a/scale` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a/b` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a/b/c` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/absent/widgets` },
      { method: 'POST', path: `/apis/${GROUP}/v1/widgets`, body: instance('Widget', 'a') },
      { method: 'POST', path: `/apis/${GROUP}/v1/namespaces/absent/widgets`, body: instance('Widget', 'a') },
      { method: 'DELETE', path: `/apis/${GROUP}/v1/widgets` },
      { method: 'PUT', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets`, body: instance('Widget', 'a') },
      { method: 'POST', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets/a`, body: instance('Widget', 'a') },
      undefine('widgets'),
    ],
  },
  {
    name: 'a definition says everything itself',
    steps: [
      ...defined(
        definition(
          'Widget',
          two({ storage: false, subresources: { status: {} } }, { served: false, deprecated: true }),
          {
            scope: 'Cluster',
            names: {
              plural: 'widgets',
              singular: 'gadget',
              kind: 'Widget',
              listKind: 'Widgets',
              shortNames: ['gm', 'gg'],
              categories: ['all', 'stones'],
            },
            conversion: { strategy: 'None' },
            preserveUnknownFields: false,
          },
        ),
        'widgets',
      ),
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}/v2/widgets` },
      { method: 'POST', path: `/apis/${GROUP}/v1/widgets`, body: instance('Widget', 'a', { spec: { x: 1 } }) },
      {
        method: 'POST',
        path: `/apis/${GROUP}/v1/namespaces/WORD/widgets`,
        body: instance('Widget', 'b', { spec: { x: 1 } }),
      },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/widgets` },
      { method: 'GET', path: `/apis/${GROUP}/v1/widgets/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/widgets` },
      undefine('widgets'),
    ],
  },
  {
    name: 'a definition is updated',
    steps: [
      ...defined(plain, 'widgets'),
      { ...getDefinition('widgets'), name: 'widgets' },
      putDefinition('widgets', plain),
      putDefinition(
        'widgets',
        changed('widgets', () => ({ scope: 'Cluster' })),
      ),
      putDefinition(
        'widgets',
        changed('widgets', () => ({ group: 'other.example.com' })),
      ),
      putDefinition(
        'widgets',
        changed('widgets', () => ({ names: { plural: 'stones', kind: 'Widget' } })),
      ),
      putDefinition(
        'widgets',
        changed('widgets', () => ({ names: { plural: 'widgets', kind: 'Stone' } })),
      ),
      patchDefinition('widgets', { spec: { names: { kind: 'Stone', listKind: 'Stones', singular: 'stone' } } }),
      patchDefinition('widgets', { spec: { scope: 'Cluster', group: 'x.y' } }),
      patchDefinition('widgets', { metadata: { labels: { a: 'b' } } }),
      patchDefinition('widgets', { spec: { names: { shortNames: ['gm'] } } }),
      { ...getDefinition('widgets'), eventually: true },
      patchDefinition('widgets', [{ op: 'add', path: '/spec/names/categories', value: ['all'] }], JSON_PATCH),
      { ...getDefinition('widgets'), eventually: true },
      patchDefinition('widgets', { spec: { names: { singular: 'jewel' } } }, STRATEGIC_PATCH),
      { ...getDefinition('widgets'), eventually: true },
      patchDefinition('widgets', { spec: { versions: two({ storage: false }, {}) } }),
      { ...getDefinition('widgets'), eventually: true },
      served('widgets', 'v2'),
      patchDefinition('widgets', { spec: { versions: [version('v2', open)] } }),
      patchDefinition('widgets', { status: { storedVersions: ['v2'] } }),
      patchDefinition('widgets', { status: { storedVersions: [] } }, MERGE_PATCH, '/status'),
      patchDefinition('widgets', { status: { storedVersions: ['v1'] } }, MERGE_PATCH, '/status'),
      patchDefinition('widgets', { status: { storedVersions: ['v3', 'v2'] } }, MERGE_PATCH, '/status'),
      patchDefinition(
        'widgets',
        { status: { storedVersions: ['v2'] }, spec: { scope: 'Cluster' } },
        MERGE_PATCH,
        '/status',
      ),
      patchDefinition('widgets', { metadata: { labels: { from: 'status' } } }, MERGE_PATCH, '/status'),
      patchDefinition('widgets', { status: { acceptedNames: { kind: '%' } } }, MERGE_PATCH, '/status'),
      { ...getDefinition('widgets'), eventually: true },
      patchDefinition('widgets', { spec: { versions: [version('v2', open)] } }),
      { ...getDefinition('widgets'), eventually: true },
      undefine('widgets'),
    ],
  },
  {
    name: 'a definition goes with its objects, and waits for those with finalizers',
    steps: [
      ...defined(plain, 'widgets'),
      create(resource('widgets'), instance('Widget', 'a')),
      create(resource('widgets'), {
        ...instance('Widget', 'b'),
        metadata: { name: 'b', finalizers: ['example.com/hold'] },
      }),
      undefine('widgets'),
      { ...getDefinition('widgets'), eventually: true },
      create(resource('widgets'), instance('Widget', 'c')),
      { ...get(resource('widgets'), 'a'), eventually: true },
      { ...get(resource('widgets'), 'b'), eventually: true },
      define(plain),
      undefine('widgets'),
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      patch(MERGE_PATCH, resource('widgets'), 'b', { metadata: { finalizers: null } }),
      { ...getDefinition('widgets'), eventually: true },
      { ...get(resource('widgets'), 'b'), eventually: true },
    ],
  },
  {
    name: 'names that another definition has are not accepted',
    steps: [
      ...defined(
        definition('Widget', [version('v1', open)], {
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['g'], categories: ['all'] },
        }),
        'widgets',
      ),
      define(
        definition('Stone', [version('v1', open)], { names: { plural: 'stones', kind: 'Widget', listKind: 'Stones' } }),
      ),
      define(
        definition('Rock', [version('v1', open)], { names: { plural: 'rocks', kind: 'Rock', shortNames: ['g', 'r'] } }),
      ),
      define(
        definition('Pebble', [version('v1', open)], {
          names: { plural: 'pebbles', kind: 'Pebble', listKind: 'WidgetList', singular: 'widgets' },
        }),
      ),
      { ...getDefinition('stones'), eventually: true },
      { ...getDefinition('rocks'), eventually: true },
      { ...getDefinition('pebbles'), eventually: true },
      { method: 'GET', path: `/apis/${GROUP}/v1`, eventually: true },
      { method: 'GET', path: `/apis/${GROUP}/v1/stones` },
      { method: 'GET', path: `/apis/${GROUP}/v1/rocks` },
      patchDefinition('rocks', { spec: { names: { shortNames: ['r'] } } }),
      { ...getDefinition('rocks'), eventually: true },
      served('rocks'),
      patchDefinition('rocks', { spec: { names: { shortNames: ['r', 'g'] } } }),
      { ...getDefinition('rocks'), eventually: true },
      undefine('widgets'),
      { ...getDefinition('widgets'), eventually: true },
      { ...getDefinition('stones'), eventually: true },
      { ...getDefinition('rocks'), eventually: true },
      { ...getDefinition('pebbles'), eventually: true },
      served('stones'),
      undefine('stones'),
      undefine('rocks'),
      undefine('pebbles'),
    ],
  },
  {
    name: 'the older version of definitions is gone',
    steps: [{ method: 'GET', path: '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions/absent' }],
  },
]
