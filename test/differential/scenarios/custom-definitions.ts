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
} from '../custom-definition.ts'
import { create, get, JSON_PATCH, MERGE_PATCH, patch, type Scenario, STRATEGIC_PATCH } from '../scenario.ts'
import type { Answers } from '../scenario.ts'

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const plain = definition('Gem', [version('v1', object({ spec: object({ a: { type: 'string' } }) }))])
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
    name: 'a definition is created, told of, and deleted',
    steps: [
      define(plain, '?dryRun=All'),
      define(plain),
      define(plain),
      { ...getDefinition('gems'), eventually: true },
      getDefinition('gems', '/status'),
      served('gems'),
      { method: 'GET', path: `/apis/${GROUP}` },
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}/v2` },
      { method: 'GET', path: `/apis/${GROUP}/v2/gems` },
      { method: 'GET', path: `/apis/${GROUP}/v1/stones` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/stones/a` },
      { method: 'GET', path: `/apis/other.${GROUP}/v1/gems` },
      { method: 'GET', path: `/apis/other.${GROUP}` },
      { method: 'GET', path: `/apis/${GROUP}/v1/gems/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a/status` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a/scale` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a/b` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a/b/c` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/absent/gems` },
      { method: 'POST', path: `/apis/${GROUP}/v1/gems`, body: instance('Gem', 'a') },
      { method: 'POST', path: `/apis/${GROUP}/v1/namespaces/absent/gems`, body: instance('Gem', 'a') },
      { method: 'DELETE', path: `/apis/${GROUP}/v1/gems` },
      { method: 'PUT', path: `/apis/${GROUP}/v1/namespaces/WORD/gems`, body: instance('Gem', 'a') },
      { method: 'POST', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a`, body: instance('Gem', 'a') },
      undefine('gems'),
    ],
  },
  {
    name: 'a definition says everything itself',
    steps: [
      ...defined(
        definition('Gem', two({ storage: false, subresources: { status: {} } }, { served: false, deprecated: true }), {
          scope: 'Cluster',
          names: {
            plural: 'gems',
            singular: 'gemstone',
            kind: 'Gem',
            listKind: 'Gems',
            shortNames: ['gm', 'gg'],
            categories: ['all', 'stones'],
          },
          conversion: { strategy: 'None' },
          preserveUnknownFields: false,
        }),
        'gems',
      ),
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      { method: 'GET', path: `/apis/${GROUP}/v2/gems` },
      { method: 'POST', path: `/apis/${GROUP}/v1/gems`, body: instance('Gem', 'a', { spec: { x: 1 } }) },
      {
        method: 'POST',
        path: `/apis/${GROUP}/v1/namespaces/WORD/gems`,
        body: instance('Gem', 'b', { spec: { x: 1 } }),
      },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems` },
      { method: 'GET', path: `/apis/${GROUP}/v1/gems/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/gems` },
      undefine('gems'),
    ],
  },
  {
    name: 'a definition is updated',
    steps: [
      ...defined(plain, 'gems'),
      { ...getDefinition('gems'), name: 'gems' },
      putDefinition('gems', plain),
      putDefinition(
        'gems',
        changed('gems', () => ({ scope: 'Cluster' })),
      ),
      putDefinition(
        'gems',
        changed('gems', () => ({ group: 'other.example.com' })),
      ),
      putDefinition(
        'gems',
        changed('gems', () => ({ names: { plural: 'stones', kind: 'Gem' } })),
      ),
      putDefinition(
        'gems',
        changed('gems', () => ({ names: { plural: 'gems', kind: 'Stone' } })),
      ),
      patchDefinition('gems', { spec: { names: { kind: 'Stone', listKind: 'Stones', singular: 'stone' } } }),
      patchDefinition('gems', { spec: { scope: 'Cluster', group: 'x.y' } }),
      patchDefinition('gems', { metadata: { labels: { a: 'b' } } }),
      patchDefinition('gems', { spec: { names: { shortNames: ['gm'] } } }),
      { ...getDefinition('gems'), eventually: true },
      patchDefinition('gems', [{ op: 'add', path: '/spec/names/categories', value: ['all'] }], JSON_PATCH),
      { ...getDefinition('gems'), eventually: true },
      patchDefinition('gems', { spec: { names: { singular: 'jewel' } } }, STRATEGIC_PATCH),
      { ...getDefinition('gems'), eventually: true },
      patchDefinition('gems', { spec: { versions: two({ storage: false }, {}) } }),
      { ...getDefinition('gems'), eventually: true },
      served('gems', 'v2'),
      patchDefinition('gems', { spec: { versions: [version('v2', open)] } }),
      patchDefinition('gems', { status: { storedVersions: ['v2'] } }),
      patchDefinition('gems', { status: { storedVersions: [] } }, MERGE_PATCH, '/status'),
      patchDefinition('gems', { status: { storedVersions: ['v1'] } }, MERGE_PATCH, '/status'),
      patchDefinition('gems', { status: { storedVersions: ['v3', 'v2'] } }, MERGE_PATCH, '/status'),
      patchDefinition(
        'gems',
        { status: { storedVersions: ['v2'] }, spec: { scope: 'Cluster' } },
        MERGE_PATCH,
        '/status',
      ),
      patchDefinition('gems', { metadata: { labels: { from: 'status' } } }, MERGE_PATCH, '/status'),
      patchDefinition('gems', { status: { acceptedNames: { kind: '%' } } }, MERGE_PATCH, '/status'),
      { ...getDefinition('gems'), eventually: true },
      patchDefinition('gems', { spec: { versions: [version('v2', open)] } }),
      { ...getDefinition('gems'), eventually: true },
      undefine('gems'),
    ],
  },
  {
    name: 'a definition goes with its objects, and waits for those with finalizers',
    steps: [
      ...defined(plain, 'gems'),
      create(resource('gems'), instance('Gem', 'a')),
      create(resource('gems'), {
        ...instance('Gem', 'b'),
        metadata: { name: 'b', finalizers: ['example.com/hold'] },
      }),
      undefine('gems'),
      { ...getDefinition('gems'), eventually: true },
      create(resource('gems'), instance('Gem', 'c')),
      { ...get(resource('gems'), 'a'), eventually: true },
      { ...get(resource('gems'), 'b'), eventually: true },
      define(plain),
      undefine('gems'),
      { method: 'GET', path: `/apis/${GROUP}/v1` },
      patch(MERGE_PATCH, resource('gems'), 'b', { metadata: { finalizers: null } }),
      { ...getDefinition('gems'), eventually: true },
      { ...get(resource('gems'), 'b'), eventually: true },
    ],
  },
  {
    name: 'names that another definition has are not accepted',
    steps: [
      ...defined(
        definition('Gem', [version('v1', open)], {
          names: { plural: 'gems', singular: 'gem', kind: 'Gem', shortNames: ['g'], categories: ['all'] },
        }),
        'gems',
      ),
      define(
        definition('Stone', [version('v1', open)], { names: { plural: 'stones', kind: 'Gem', listKind: 'Stones' } }),
      ),
      define(
        definition('Rock', [version('v1', open)], { names: { plural: 'rocks', kind: 'Rock', shortNames: ['g', 'r'] } }),
      ),
      define(
        definition('Pebble', [version('v1', open)], {
          names: { plural: 'pebbles', kind: 'Pebble', listKind: 'GemList', singular: 'gems' },
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
      undefine('gems'),
      { ...getDefinition('gems'), eventually: true },
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
