import { defined, definition, GROUP, instance, resource, undefine, version } from '../custom-definition.ts'
import { at, create, get, MERGE_PATCH, patch, remove, type Scenario, type Step } from '../scenario.ts'

const gems = resource('gems')
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const start = (spec: Readonly<Record<string, unknown>> = {}): readonly Step[] =>
  defined(definition('Gem', [version('v1', open)], spec), 'gems')
const end: readonly Step[] = [undefine('gems')]
const list = (query = '', everywhere = false): Step => ({
  method: 'GET',
  path: (everywhere ? `/apis/${GROUP}/v1/gems` : at(gems)) + query,
})
/** One second of a watch, from the creation of the first object on. */
const watch = (query: string, more: Partial<Step> = {}): Step => ({
  ...list(`?watch=true&timeoutSeconds=1${query}`),
  query: (answers) => `&resourceVersion=${answers['begin']?.body.metadata.resourceVersion}`,
  ...more,
})
const gem = (name: string, labels: object): unknown => ({
  ...instance('Gem', name, { spec: { n: name } }),
  metadata: { name, labels },
})
const three: readonly Step[] = [
  create(gems, gem('a', { app: 'x', tier: 'one' })),
  create(gems, gem('b', { app: 'y' })),
  create(gems, gem('c', { app: 'x' })),
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
      get(gems, 'a', '?resourceVersion=0'),
      get(gems, 'a', '?resourceVersion=x'),
      get(gems, 'absent'),
      ...end,
    ],
  },
  {
    name: 'custom resources are deleted one by one and together',
    steps: [
      ...start(),
      ...three,
      remove(gems, 'a', undefined, '?dryRun=All'),
      remove(gems, 'a'),
      remove(gems, 'a'),
      remove(gems, 'b', { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 }),
      remove(gems, 'c', { propagationPolicy: 'Sideways' }),
      remove(gems, 'c', { kind: 'Gem' }),
      remove(gems, 'c', '{'),
      create(gems, gem('d', { app: 'z' })),
      { method: 'DELETE', path: `${at(gems)}?labelSelector=app%3Dz` },
      { method: 'DELETE', path: `${at(gems)}?fieldSelector=spec.a%3Dz` },
      { method: 'DELETE', path: `${at(gems)}?dryRun=All` },
      list(),
      { method: 'DELETE', path: at(gems) },
      list(),
      ...end,
    ],
  },
  {
    name: 'custom resources are watched',
    steps: [
      ...start(),
      { ...create(gems, gem('a', { app: 'x' })), name: 'begin' },
      create(gems, gem('b', { app: 'y' })),
      patch(MERGE_PATCH, gems, 'a', { spec: { n: 'z' } }),
      patch(MERGE_PATCH, gems, 'a', { metadata: { labels: { app: 'y' } } }),
      remove(gems, 'b'),
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
      { method: 'POST', path: `/apis/${GROUP}/v1/gems`, body: gem('a', {}) },
      {
        method: 'POST',
        path: `/apis/${GROUP}/v1/gems`,
        body: { ...instance('Gem', 'b'), metadata: { name: 'b', namespace: 'WORD' } },
      },
      { method: 'GET', path: `/apis/${GROUP}/v1/gems/a` },
      { method: 'GET', path: `/apis/${GROUP}/v1/gems/b` },
      { method: 'GET', path: `/apis/${GROUP}/v1/namespaces/WORD/gems/a` },
      list('', true),
      list('?fieldSelector=metadata.namespace%3DWORD', true),
      list('?fieldSelector=metadata.name%3Da', true),
      { method: 'DELETE', path: `/apis/${GROUP}/v1/gems/a` },
      { method: 'DELETE', path: `/apis/${GROUP}/v1/gems` },
      ...end,
    ],
  },
]
