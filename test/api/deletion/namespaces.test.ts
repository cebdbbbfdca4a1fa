import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { apiServer, configMap, pod } from '../api-server.ts'

const api = apiServer()

type Body = Answer['body']

const gone = (path: string): Promise<unknown> => api.until(path, ({ code }) => code === 404)

test('the namespaces of every cluster are there', async () => {
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    expect((await api.get(`/api/v1/namespaces/${name}`)).status.phase).toBe('Active')
})

test('a new namespace is active, carries its name as a label, and is held by its finalizer', async () => {
  const path = await api.namespace({ team: 'a' })
  expect(await api.get(path)).toMatchObject({
    metadata: { name: 'ns-1', labels: { 'kubernetes.io/metadata.name': 'ns-1', team: 'a' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  })
})

test('it has its default account and the certificate of the cluster, which come back when they are deleted', async () => {
  const path = await api.namespace()
  const account = await api.get(`${path}/serviceaccounts/default`)
  expect((await api.get(`${path}/configmaps/kube-root-ca.crt`)).data).toEqual({ 'ca.crt': 'certificate' })
  await api.send('DELETE', `${path}/serviceaccounts/default`)
  await api.send('DELETE', `${path}/configmaps/kube-root-ca.crt`)
  const again = await api.until(`${path}/serviceaccounts/default`, ({ kind }) => kind === 'ServiceAccount')
  await api.until(`${path}/configmaps/kube-root-ca.crt`, ({ kind }) => kind === 'ConfigMap')
  expect(again.metadata.uid).not.toBe(account.metadata.uid)
})

test('a certificate that somebody changed is put right', async () => {
  const path = await api.namespace()
  await api.patch(`${path}/configmaps/kube-root-ca.crt`, { data: { 'ca.crt': 'forged' } })
  const right = await api.until(`${path}/configmaps/kube-root-ca.crt`, ({ data }) => data['ca.crt'] === 'certificate')
  expect(right.metadata.name).toBe('kube-root-ca.crt')
})

test.each(['UPPER', 'with.dots', '-dash', 'n'.repeat(64)])('%s is an invalid name of a namespace', async (name) => {
  expect((await api.send('POST', '/api/v1/namespaces', { metadata: { name } })).status).toBe(422)
})

test.each(['default', 'kube-system', 'kube-public'])('%s may not be deleted', async (name) => {
  const { status, body } = await api.send('DELETE', `/api/v1/namespaces/${name}`)
  expect([status, body.message]).toEqual([403, `namespaces "${name}" is forbidden: this namespace may not be deleted`])
})

const check = { gone }

describe('deletion', () => {
  test('takes everything in the namespace and then the namespace', async () => {
    const path = await api.namespace()
    await api.create(`${path}/configmaps`, configMap('a'))
    await api.create(`${path}/pods`, pod('b', { nodeName: 'n' }))
    await api.create(`${path}/services`, { metadata: { name: 'c' }, spec: { ports: [{ port: 80 }] } })
    const { status, body } = await api.send('DELETE', path)
    expect([status, body.status.phase, typeof body.metadata.deletionTimestamp]).toEqual([200, 'Terminating', 'string'])
    await check.gone(path)
    for (const resource of ['configmaps', 'pods', 'services', 'serviceaccounts'])
      expect((await api.get(`${path}/${resource}`)).items).toEqual([])
  })

  test('lets the name be used again', async () => {
    const path = await api.namespace()
    await api.send('DELETE', path)
    await check.gone(path)
    await api.create('/api/v1/namespaces', { metadata: { name: path.split('/').at(-1) } })
    await api.until(`${path}/serviceaccounts/default`, ({ kind }) => kind === 'ServiceAccount')
  })

  test('waits for finalizers of the content and reports them', async () => {
    const path = await api.namespace()
    await api.create(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/hold'] }))
    await api.send('DELETE', path)
    const { status } = await api.until(path, (namespace) => namespace.status?.conditions !== undefined)
    const conditions = Object.fromEntries(
      status.conditions.map(({ type, status: is, reason, message }: Record<string, string>) => [
        type,
        [is, reason, message],
      ]),
    )
    expect(conditions['NamespaceContentRemaining']?.slice(0, 2)).toEqual(['True', 'SomeResourcesRemain'])
    expect(conditions['NamespaceContentRemaining']?.[2]).toMatch(
      /^Some resources are remaining: configmaps\. has 1 resource instances$/,
    )
    expect(conditions['NamespaceFinalizersRemaining']).toEqual([
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: a.test/hold in 1 resource instances',
    ])
    expect(conditions['NamespaceDeletionContentFailure']?.[0]).toBe('False')
    expect((await api.get(`${path}/configmaps/held`)).metadata.deletionTimestamp).toBeDefined()
    await api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
    await check.gone(path)
  })

  test('refuses new content meanwhile, and lets old content be changed', async () => {
    const path = await api.namespace()
    const name = path.split('/').at(-1)
    await api.create(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/hold'] }))
    await api.send('DELETE', path)
    const { status, body } = await api.send('POST', `${path}/configmaps`, configMap('late'))
    expect([status, body.message]).toEqual([
      403,
      `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
    ])
    expect(body.details.causes).toEqual([
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ])
    const generated = await api.send('POST', `${path}/configmaps`, { metadata: { generateName: 'late-' } })
    expect(generated.status).toBe(403)
    await api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
    await check.gone(path)
  })

  test('does not recreate what every namespace has', async () => {
    const path = await api.namespace()
    await api.create(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/hold'] }))
    await api.send('DELETE', path)
    await api.until(`${path}/serviceaccounts`, ({ items }) => items.length === 0)
    await api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
    await check.gone(path)
  })

  test('takes custom resources and quotas too', async () => {
    await api.define('buoys')
    const path = await api.namespace()
    const buoys = path.replace('/api/v1', '/apis/harbour.test/v1').concat('/buoys')
    await api.create(buoys, { apiVersion: 'harbour.test/v1', kind: 'Buoy', metadata: { name: 'b' } })
    await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } })
    await api.send('DELETE', path)
    await check.gone(path)
    expect([(await api.get(buoys)).items, (await api.get(`${path}/resourcequotas`)).items]).toEqual([[], []])
  })

  test('waits for a finalizer of the namespace itself', async () => {
    const path = await api.namespace()
    await api.send('PUT', `${path}/finalize`, {
      ...(await api.get(path)),
      spec: { finalizers: ['kubernetes', 'a.test/x'] },
    })
    await api.send('DELETE', path)
    const { metadata, kind } = await api.until(path, (namespace) => namespace.spec.finalizers.length === 1)
    await api.send('PUT', `${path}/finalize`, { kind, metadata, spec: { finalizers: [] } })
    await check.gone(path)
  })

  describe('that a finalizer of the namespace itself keeps', () => {
    const conditionsOf = ({ status }: Body): Readonly<Record<string, string>> =>
      Object.fromEntries((status.conditions ?? []).map(({ type, status: is }: Body) => [type, is]))
    const EMPTY = {
      NamespaceDeletionDiscoveryFailure: 'False',
      NamespaceDeletionGroupVersionParsingFailure: 'False',
      NamespaceDeletionContentFailure: 'False',
      NamespaceContentRemaining: 'False',
      NamespaceFinalizersRemaining: 'False',
    }

    test.each([[['a.test/x']], [['a.test/x', 'kubernetes']]])(
      'beside %j reports that the content is gone, once it is',
      async (finalizers) => {
        const path = await api.namespace()
        await api.create(`${path}/configmaps`, configMap('held', {}, { finalizers: ['a.test/hold'] }))
        await api.send('PUT', `${path}/finalize`, { ...(await api.get(path)), spec: { finalizers } })
        await api.send('DELETE', path)
        const held = await api.until(path, (body) => body.status?.conditions !== undefined)
        expect(conditionsOf(held)).toEqual({
          ...EMPTY,
          NamespaceContentRemaining: 'True',
          NamespaceFinalizersRemaining: 'True',
        })
        const other = { type: 'a.test/Mine', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }
        const conditions = [other, ...held.status.conditions]
        await api.patch(`${path}/status`, { status: { conditions } })
        await api.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
        const empty = await api.until(path, (body) => conditionsOf(body)['NamespaceContentRemaining'] === 'False')
        expect(conditionsOf(empty)).toEqual({ [other.type]: 'True', ...EMPTY })
        expect(empty.status.conditions.slice(0, 4)).toEqual(conditions.slice(0, 4))
        await api.until(path, ({ spec }) => !spec.finalizers.includes('kubernetes'))
        await api.send('PUT', `${path}/finalize`, { ...(await api.get(path)), spec: { finalizers: [] } })
        await check.gone(path)
      },
    )

    test('reports so at once where there is nothing to wait for', async () => {
      const name = 'kept'
      await api.create('/api/v1/namespaces', { metadata: { name }, spec: { finalizers: ['a.test/x'] } })
      const path = `/api/v1/namespaces/${name}`
      await api.send('DELETE', path)
      const kept = await api.until(path, ({ spec }) => spec.finalizers.length === 1)
      expect(conditionsOf(kept)).toEqual(EMPTY)
      expect(kept.status.conditions.at(-2)).toMatchObject({
        reason: 'ContentRemoved',
        message: 'All content successfully removed',
      })
      await api.send('PUT', `${path}/finalize`, { ...kept, spec: { finalizers: [] } })
      await check.gone(path)
    })
  })

  test('is seen by a watch as a change and a deletion', async () => {
    const path = await api.namespace()
    const name = path.split('/').at(-1)
    const { resourceVersion } = (await api.get('/api/v1/namespaces')).metadata
    await using watch = await api.watch(
      `/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${resourceVersion}`,
    )
    await api.send('DELETE', path)
    const types: string[] = []
    while (types.at(-1) !== 'DELETED') types.push((await watch.next())?.type ?? 'END')
    expect(types[0]).toBe('MODIFIED')
    expect(types.length).toBeLessThanOrEqual(4)
  })

  test('with a dry run deletes nothing', async () => {
    const path = await api.namespace()
    expect((await api.send('DELETE', `${path}?dryRun=All`)).status).toBe(200)
    expect((await api.get(path)).status.phase).toBe('Active')
  })
})

describe('with storage that takes its time', () => {
  const durable = apiServer({ location: { directory: temporaryDirectory() } })

  test('namespaces that are deleted while they are furnished go without a complaint', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `short-${index}`)
    await Promise.all(
      names.map(async (name) => {
        await durable.create('/api/v1/namespaces', { metadata: { name } })
        await durable.send('DELETE', `/api/v1/namespaces/${name}`)
      }),
    )
    for (const name of names) await durable.until(`/api/v1/namespaces/${name}`, ({ code }) => code === 404)
    expect(durable.running.complaints).toEqual([])
  })
})
