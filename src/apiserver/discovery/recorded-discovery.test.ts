// Covers discovery.ts, against discovery of recorded servers.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtinResources } from '../resource/builtin-resources.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { createDiscovery } from './discovery.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
const extension = { categories: ['api-extensions'] }
const named = (short: string, ...categories: readonly string[]) => ({ shortNames: [short], categories })
const naming = {
  configmaps: named('cm'),
  events: named('ev'),
  limitranges: named('limits'),
  namespaces: named('ns'),
  nodes: named('no'),
  persistentvolumeclaims: named('pvc'),
  pods: named('po', 'all'),
  replicationcontrollers: named('rc', 'all'),
  resourcequotas: named('quota'),
  serviceaccounts: named('sa'),
  services: named('svc', 'all'),
  'daemonsets.apps': named('ds', 'all'),
  'deployments.apps': named('deploy', 'all'),
  'replicasets.apps': named('rs', 'all'),
  'statefulsets.apps': named('sts', 'all'),
  'customresourcedefinitions.apiextensions.k8s.io': { shortNames: ['crd', 'crds'], ...extension },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': extension,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': extension,
  'jobs.batch': { categories: ['all'] },
  'priorityclasses.scheduling.k8s.io': named('pc'),
}
const custom = (version: string): ServedResource => ({
  group: 'example.com',
  version,
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  singular: 'widget',
  namespaced: true,
  verbs: ['get', 'list'],
  subresources: [],
  custom: true,
})
const builtin = builtinResources(read('schemas/kubernetes-1.36-resources.json'), naming)
const resources = [custom('v1beta1'), ...builtin, custom('v1')]
let hashed = 0
const hash = (text: string): string => `${text.length}-${++hashed}`
const discovery = createDiscovery({ resources, serverAddress: '10.0.0.1:6443', hash })

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

function get(path: string, accept?: string) {
  const [root = '', first, second] = path.split('/').slice(1)
  if (root === 'api') return first === undefined ? discovery.api(accept) : discovery.version('', first)
  if (first === undefined) return discovery.apis(accept)
  return second === undefined ? discovery.group(first) : discovery.version(first, second)
}
const body = (path: string, accept?: string) => JSON.parse(get(path, accept)?.body ?? 'null')

interface Exchange {
  readonly name: string
  readonly request: { readonly path: string }
  readonly expect: { readonly body?: object; readonly groupsInclude?: string[]; readonly resourcesInclude?: Entry[] }
}
interface Entry {
  readonly name: string
  readonly verbs: readonly string[]
}
const exchanges: Exchange[] = read('test/golden/exchanges.json')

describe('discovery answers as a real server did', () => {
  test.each(exchanges.filter(({ name }) => name.startsWith('discovery /api')))(
    '$name',
    ({ request, expect: expected }) => {
      const answer = body(request.path)
      expect(answer).toMatchObject(expected.body ?? {})
      const groups = answer.groups?.map((group: { name: string }) => group.name) ?? []
      expect(groups).toEqual(expect.arrayContaining(expected.groupsInclude ?? []))
      for (const { verbs, ...entry } of expected.resourcesInclude ?? []) {
        const found = answer.resources.find((one: Entry) => one.name === entry.name)
        expect(found).toMatchObject(entry)
        expect(found.verbs).toEqual(expect.arrayContaining([...verbs]))
      }
    },
  )
})

describe('plain discovery', () => {
  test('lists apps before batch before custom groups, and never the core group', () => {
    const names: string[] = body('/apis').groups.map((group: { name: string }) => group.name)
    expect(names.filter((name) => ['', 'apps', 'batch', 'example.com'].includes(name))).toEqual([
      'apps',
      'batch',
      'example.com',
    ])
  })

  test('prefers the highest stable version', () => {
    expect(body('/apis/autoscaling').preferredVersion).toEqual({ groupVersion: 'autoscaling/v2', version: 'v2' })
    expect(body('/apis/example.com').versions.map((one: { version: string }) => one.version)).toEqual(['v1', 'v1beta1'])
  })

  test('names the group of a subresource only when it is another one', () => {
    const list: { name: string }[] = body('/api/v1').resources
    expect(list.find(({ name }) => name === 'pods/eviction')).toMatchObject({
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
    })
    expect(list.find(({ name }) => name === 'serviceaccounts/token')).toMatchObject({ group: 'authentication.k8s.io' })
    expect(list.find(({ name }) => name === 'pods/status')).not.toHaveProperty('group')
  })

  test('says where the server is', () => {
    expect(body('/api').serverAddressByClientCIDRs).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: '10.0.0.1:6443' },
    ])
  })

  test('knows nothing of groups and versions that are not served', () => {
    for (const path of ['/apis/nothing.io', '/apis/apps/v1beta1', '/api/v2', '/apis/example.com/v2'])
      expect(get(path)).toBeUndefined()
  })
})

describe('aggregated discovery', () => {
  test('keeps the core group under /api and the others under /apis', () => {
    const core = body('/api', AGGREGATED)
    expect(core).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
    expect(core.items).toHaveLength(1)
    expect(core.items[0].metadata).toEqual({})
    expect(body('/apis', AGGREGATED).items.map((item: { metadata: object }) => item.metadata)).toContainEqual({
      name: 'apps',
    })
  })

  test('describes a resource as the plain form does', () => {
    const apps = body('/apis', AGGREGATED).items.find(
      (item: { metadata: { name: string } }) => item.metadata.name === 'apps',
    )
    const found = apps.versions[0].resources.find((one: { resource: string }) => one.resource === 'deployments')
    expect(found).toMatchObject({
      responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
    })
    expect(found.subresources).toContainEqual({
      subresource: 'scale',
      responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      verbs: ['get', 'patch', 'update'],
    })
  })

  test('carries its content type and a tag that stays while nothing changes', () => {
    const first = get('/apis', AGGREGATED)
    expect(first).toMatchObject({ contentType: AGGREGATED, etag: expect.stringMatching(/^".+"$/) })
    expect(get('/apis', AGGREGATED)).toBe(first)
    expect(get('/apis')).not.toHaveProperty('etag')
  })

  test('comes in the older version for older clients', () => {
    expect(body('/apis', AGGREGATED.replace('v2', 'v2beta1')).apiVersion).toBe('apidiscovery.k8s.io/v2beta1')
  })
})
