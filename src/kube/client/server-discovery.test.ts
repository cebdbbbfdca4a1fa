import { describe, expect, test } from 'vitest'
import { notFound } from '../../machinery/status.ts'
import { discover, type JsonReader, serverVersion } from './server-discovery.ts'

const reader = (documents: Readonly<Record<string, unknown>>): JsonReader => ({
  request: async (_, path) => {
    if (documents[path] === undefined) throw notFound({ group: '', resource: 'x' }, path)
    return documents[path]
  },
})

const verbs = ['get', 'list']
const old = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      {
        name: 'batch',
        versions: [{ version: 'v1' }, { version: 'v1beta1' }],
        preferredVersion: { version: 'v1' },
      },
      { name: 'odd', versions: [{ version: 'v1' }, { version: 'v2' }], preferredVersion: { version: 'v2' } },
      { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] },
    ],
  },
  '/api/v1': {
    resources: [
      { name: 'pods', kind: 'Pod', namespaced: true, verbs, shortNames: ['po'] },
      { name: 'pods/status', kind: 'Pod', namespaced: true, verbs },
      { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1', namespaced: true, verbs },
      { name: 'nodes', kind: 'Node', namespaced: false, verbs },
    ],
  },
  '/apis/batch/v1': { resources: [{ name: 'jobs', kind: 'Job', namespaced: true, verbs }] },
  '/apis/batch/v1beta1': { resources: [{ name: 'cronjobs', kind: 'CronJob', namespaced: true, verbs }] },
  '/apis/odd/v1': { resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs }] },
  '/apis/odd/v2': { resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs }] },
}

const group = (name: string, versions: readonly unknown[]) => ({ metadata: { name }, versions })
const entry = (resource: string, kind: string, more = {}) => ({
  resource,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  verbs,
  ...more,
})
const aggregated = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      group('', [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            entry('pods', 'Pod', {
              shortNames: ['po'],
              subresources: [{ subresource: 'status' }, { subresource: 'eviction' }],
            }),
            entry('nodes', 'Node', { scope: 'Cluster' }),
          ],
        },
      ]),
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      group('batch', [
        { version: 'v1', resources: [entry('jobs', 'Job')] },
        { version: 'v1beta1', resources: [entry('cronjobs', 'CronJob')] },
      ]),
      group('odd', [
        { version: 'v2', resources: [entry('things', 'Thing')] },
        { version: 'v1', resources: [entry('things', 'Thing'), { resource: 'hollow', subresources: [] }] },
      ]),
      group('metrics.k8s.io', [{ version: 'v1beta1', freshness: 'Stale', resources: [entry('pods', 'PodMetrics')] }]),
    ],
  },
}

describe.each([
  ['a server of old', old],
  ['a server with aggregated discovery', aggregated],
])('of %s', (_, documents) => {
  test('each resource is known with its scope, names and subresources', async () => {
    const server = await discover(reader(documents))
    expect(server.ofKind('v1', 'Pod')).toEqual({
      group: '',
      version: 'v1',
      resource: 'pods',
      kind: 'Pod',
      namespaced: true,
      verbs,
      shortNames: ['po'],
      subresources: ['status', 'eviction'],
    })
    expect(server.resource('', 'nodes')).toMatchObject({ kind: 'Node', namespaced: false, subresources: [] })
    expect(server.all.map(({ resource }) => resource).toSorted()).toEqual([
      'cronjobs',
      'jobs',
      'nodes',
      'pods',
      'things',
      'things',
    ])
  })

  test('the preferred version is the first that has the kind', async () => {
    const server = await discover(reader(documents))
    expect(server.preferredKind('odd', 'Thing')).toMatchObject({ version: 'v2' })
    expect(server.preferredKind('batch', 'CronJob')).toMatchObject({ version: 'v1beta1' })
    expect(server.resource('odd', 'things', 'v1')).toMatchObject({ version: 'v1' })
    expect([server.preferredKind('batch', 'Pod'), server.ofKind('v9', 'Pod'), server.resource('none', 'pods')]).toEqual(
      [undefined, undefined, undefined],
    )
  })

  test('a group that does not answer hides no other', async () => {
    const server = await discover(reader(documents))
    expect(server.failures.map(({ apiVersion }) => apiVersion)).toEqual(['metrics.k8s.io/v1beta1'])
    expect([server.hasGroup('metrics.k8s.io'), server.hasGroup('none')]).toEqual([true, false])
  })
})

test('a server whose groups cannot be asked for is an error', async () => {
  await expect(discover(reader({ '/api': old['/api'], '/api/v1': old['/api/v1'] }))).rejects.toMatchObject({
    status: { code: 404 },
  })
})

test.each([
  [
    { major: '1', minor: '20', gitVersion: 'v1.20.2' },
    { major: 1, minor: 20, gitVersion: 'v1.20.2' },
  ],
  [
    { major: '1', minor: '27+', gitVersion: 'v1.27.3-gke.100' },
    { major: 1, minor: 27, gitVersion: 'v1.27.3-gke.100' },
  ],
  [{}, { major: 0, minor: 0, gitVersion: '' }],
])('the version %j is read', async (document, version) => {
  expect(await serverVersion(reader({ '/version': document }))).toEqual(version)
})
