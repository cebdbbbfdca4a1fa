import { describe, expect, test, vi } from 'vitest'
import { OwnerLookup } from '../../../src/apiserver/controller/owner-lookup.ts'
import { startInProcess } from '../../in-process.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { apiServer, configMap, namesOf, pod } from '../api-server.ts'
import { type Body, owned, ownedMaps, reference } from './owned-maps.ts'

const api = apiServer()
const { fresh, maps, create, get, remove, gone, until, release, settled, family, home } = ownedMaps(api)

describe('in the background', () => {
  test('an owner goes at once and its dependents follow', async () => {
    const [owner = '', ...dependents] = await family(3)
    expect((await remove(owner)).body).toMatchObject({ kind: 'Status', status: 'Success' })
    expect((await get(owner)).code).toBe(404)
    for (const dependent of dependents) expect(await gone(dependent)).toBe('NotFound')
  })

  test('dependents of dependents go, of whatever kind', async () => {
    const [owner = ''] = await family(0)
    const middle = await api.create(`${home()}/secrets`, {
      metadata: { name: owner, ownerReferences: [reference(await get(owner))] },
    })
    await api.create(`${home()}/pods`, {
      ...(pod(owner) as object),
      metadata: { name: owner, ownerReferences: [reference(middle)] },
    })
    await remove(owner, { propagationPolicy: 'Background' })
    await api.until(`${home()}/pods/${owner}`, ({ code }) => code === 404)
    expect((await api.send('GET', `${home()}/secrets/${owner}`)).status).toBe(404)
  })

  test('a dependent with another owner stays, without the reference to the one that is gone', async () => {
    const [first, second] = [fresh(), fresh()]
    const owners = [await create(configMap(first)), await create(configMap(second))]
    const shared = fresh()
    await create(
      owned(
        shared,
        owners.map((owner) => reference(owner)),
      ),
    )
    await remove(first)
    const { metadata } = await until(shared, (body) => body.metadata.ownerReferences.length === 1)
    expect(metadata.ownerReferences).toEqual([reference(owners[1])])
    await remove(second)
    expect(await gone(shared)).toBe('NotFound')
  })

  test('owners in a circle go with the one that is deleted', async () => {
    const [a = '', b = ''] = await family(1)
    await api.patch(`${maps()}/${a}`, { metadata: { ownerReferences: [reference(await get(b))] } })
    await remove(a)
    expect(await gone(b)).toBe('NotFound')
  })

  test('a dependent that somebody holds waits for its finalizer', async () => {
    const [owner = ''] = await family(0)
    const held = fresh()
    await create(owned(held, [reference(await get(owner))], ['a.test/x']))
    await remove(owner)
    await until(held, ({ metadata }) => metadata.deletionTimestamp !== undefined)
    await release(held)
    expect(await gone(held)).toBe('NotFound')
  })

  test('a dependent that names the policy by a finalizer keeps to it', async () => {
    const [owner = ''] = await family(0)
    const middle = fresh()
    const body = await create(owned(middle, [reference(await get(owner))], ['orphan']))
    await create(owned(`${middle}-0`, [reference(body)]))
    await remove(owner)
    expect(await gone(middle)).toBe('NotFound')
    expect((await get(`${middle}-0`)).metadata.ownerReferences).toBeUndefined()
  })
})

describe('an owner that is not there', () => {
  const missing = { apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', uid: '7d1f5f0e-0000-4000-8000-000000000000' }

  test('takes its dependents with it', async () => {
    const name = fresh()
    await create(owned(name, [missing]))
    expect(await gone(name)).toBe('NotFound')
  })

  test('does so when the reference comes later', async () => {
    const name = fresh()
    await create(configMap(name))
    await api.patch(`${maps()}/${name}`, { metadata: { ownerReferences: [missing] } })
    expect(await gone(name)).toBe('NotFound')
  })

  test('is not another object of its name', async () => {
    const [owner = ''] = await family(0)
    const name = fresh()
    await create(owned(name, [reference(await get(owner), { uid: missing.uid })]))
    expect(await gone(name)).toBe('NotFound')
  })

  test('is not an object with its uid and another name', async () => {
    const [owner = ''] = await family(0)
    const name = fresh()
    await create(owned(name, [reference(await get(owner), { name: 'another' })]))
    expect(await gone(name)).toBe('NotFound')
  })

  test('keeps its dependents as long as nobody knows its kind', async () => {
    const name = fresh()
    await create(owned(name, [{ ...missing, apiVersion: 'nobody.test/v1', kind: 'Nothing' }]))
    await settled()
    expect((await get(name)).metadata.deletionTimestamp).toBeUndefined()
  })

  test('in another namespace is absent, and an Event reports it', async () => {
    const [owner = ''] = await family(0)
    const other = await api.namespace()
    const name = fresh()
    const { metadata, apiVersion } = await get(owner)
    const dependent = await api.create(
      `${other}/configmaps`,
      owned(name, [{ apiVersion, kind: 'ConfigMap', name: owner, uid: metadata.uid }]),
    )
    await api.until(`${other}/configmaps/${name}`, ({ code }) => code === 404)
    const events = await api.until(`${other}/events`, ({ items }) => items.length > 0)
    expect(events.items[0]).toMatchObject({
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: ${dependent.metadata.namespace}, name: ${owner}, uid: ${metadata.uid}] does not exist in namespace "${dependent.metadata.namespace}"`,
      involvedObject: { kind: 'ConfigMap', name, uid: dependent.metadata.uid },
      source: { component: 'garbage-collector-controller' },
    })
    expect((await get(owner)).metadata.uid).toBe(metadata.uid)
  })

  test('of a namespace does not decide about objects outside namespaces, but an Event reports it', async () => {
    const [owner = ''] = await family(0)
    const name = fresh()
    await api.create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name, ownerReferences: [reference(await get(owner))] },
      value: 1,
    })
    const { items } = await api.until('/api/v1/namespaces/default/events', (list) => list.items.length > 0)
    expect(items[0]).toMatchObject({
      reason: 'OwnerRefInvalidNamespace',
      involvedObject: { kind: 'PriorityClass', name },
    })
    await settled()
    expect((await api.send('GET', `/apis/scheduling.k8s.io/v1/priorityclasses/${name}`)).status).toBe(200)
  })

  test('may be in no namespace', async () => {
    const name = fresh()
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
    const owner = await api.create(path, { metadata: { name }, value: 1 })
    await create(owned(name, [reference(owner)]))
    await settled()
    expect((await get(name)).metadata.ownerReferences).toHaveLength(1)
    await api.send('DELETE', `${path}/${name}`)
    expect(await gone(name)).toBe('NotFound')
  })
})

test.each(['Foreground', 'Orphan', 'Background'])('a dry run with %s writes nothing', async (propagationPolicy) => {
  const [owner = '', dependent = ''] = await family(1)
  const before = [await get(owner), await get(dependent)]
  const { body, status } = await remove(owner, { propagationPolicy, dryRun: ['All'] })
  expect(status).toBe(200)
  const finalizers = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'] }[propagationPolicy]
  if (finalizers !== undefined) expect(body.metadata.finalizers).toEqual(finalizers)
  await settled()
  expect([await get(owner), await get(dependent)]).toEqual(before)
})

describe('custom resources', () => {
  test('own and are owned, from the moment they are defined', async () => {
    await api.define('barges')
    const path = `/apis/harbour.test/v1/namespaces/${home().split('/').at(-1)}/barges`
    await api.until(path, ({ kind }) => kind === 'BargeList')
    const barge = await api.create(path, { apiVersion: 'harbour.test/v1', kind: 'Barge', metadata: { name: 'a' } })
    const name = fresh()
    const map = await create(owned(name, [reference(barge, { blockOwnerDeletion: true })]))
    await api.create(path, {
      apiVersion: 'harbour.test/v1',
      kind: 'Barge',
      metadata: { name: 'b', ownerReferences: [reference(map)] },
    })
    await api.send('DELETE', `${path}/a`, { propagationPolicy: 'Foreground' })
    await api.until(path, ({ items }) => items.length === 0)
    expect(await gone(name)).toBe('NotFound')
  })

  test('decide about their dependents when their kind becomes known', async () => {
    const name = fresh()
    await create(owned(name, [{ apiVersion: 'harbour.test/v1', kind: 'Raft', name: 'none', uid: 'u' }]))
    await settled()
    expect((await get(name)).code).toBeUndefined()
    await api.define('rafts')
    expect(await gone(name)).toBe('NotFound')
  })

  test('take their dependents with them when their definition goes', async () => {
    await api.define('skiffs')
    const path = `/apis/harbour.test/v1/namespaces/${home().split('/').at(-1)}/skiffs`
    await api.until(path, ({ kind }) => kind === 'SkiffList')
    const skiff = await api.create(path, { apiVersion: 'harbour.test/v1', kind: 'Skiff', metadata: { name: 'a' } })
    const name = fresh()
    await create(owned(name, [reference(skiff)]))
    await api.send('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/skiffs.harbour.test')
    expect(await gone(name)).toBe('NotFound')
  })
})

test('each owner of an object is looked up once when the object is written', async () => {
  const ns = await api.namespace()
  const { metadata } = await api.create(`${ns}/configmaps`, configMap('owner'))
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }
  const lookups = vi.spyOn(OwnerLookup.prototype, 'stateOf')
  await api.create(`${ns}/configmaps`, configMap('owned', {}, { ownerReferences: [owner] }))
  await api.until(`${ns}/configmaps/owned`, ({ kind }) => kind === 'ConfigMap')
  const asked = lookups.mock.calls.filter(([{ uid }]) => uid === metadata.uid)
  lookups.mockRestore()
  expect(asked).toHaveLength(1)
})

test('a namespace takes everything with it, whatever its objects wait for', async () => {
  const here = await api.namespace()
  const path = `${here}/configmaps`
  const owner = await api.create(path, configMap('owner'))
  const blocked = { ownerReferences: [reference(owner, { blockOwnerDeletion: true })], finalizers: ['orphan'] }
  for (const name of ['a', 'b']) await api.create(path, configMap(name, {}, blocked))
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  await api.create(`/apis/batch/v1/namespaces/${here.split('/').at(-1)}/jobs`, {
    metadata: { name: 'j' },
    spec: { template },
  })
  await api.send('DELETE', `${path}/owner`, { propagationPolicy: 'Foreground' })
  const { body } = await api.send('DELETE', here)
  expect([body.status.phase, body.metadata.deletionGracePeriodSeconds]).toEqual(['Terminating', undefined])
  await api.until(here, ({ code }) => code === 404)
})

test('work that a restart interrupted is done after it', async () => {
  const location = { directory: temporaryDirectory() }
  const path = '/api/v1/namespaces/default/configmaps'
  const before = await startInProcess({ location })
  const make = async (object: unknown): Promise<Body> => (await before.send('POST', path, object)).body
  const [waiting, lost] = [await make(configMap('waiting')), await make(configMap('lost'))]
  await make(owned('held', [reference(waiting, { blockOwnerDeletion: true })], ['a.test/x']))
  await make(owned('left', [reference(lost)]))
  await before.send('DELETE', `${path}/waiting`, { propagationPolicy: 'Foreground' })
  await before.until(`${path}/held`, ({ metadata }) => metadata.deletionTimestamp !== undefined)
  // As if it had been killed before the collector could see it.
  await before.store.commit([{ type: 'delete', bucket: 'configmaps', key: 'default/lost' }])
  await before.stop()
  const after = await startInProcess({ location })
  await after.until(`${path}/left`, ({ code }) => code === 404)
  expect((await after.send('GET', `${path}/waiting`)).body.metadata.finalizers).toEqual(['foregroundDeletion'])
  await after.send(
    'PATCH',
    `${path}/held`,
    { metadata: { finalizers: null } },
    { 'content-type': 'application/merge-patch+json' },
  )
  await after.until(`${path}/waiting`, ({ code }) => code === 404)
  await after.stop()
})

test('ten thousand dependents go without holding up others', async () => {
  const here = await api.namespace()
  const namespace = here.split('/').at(-1) ?? ''
  const owner = await api.create(`${here}/configmaps`, configMap('many'))
  const { store } = api.running
  const put = (i: number): Promise<unknown> =>
    store.commit([
      {
        type: 'put',
        bucket: 'secrets',
        key: `${namespace}/s-${i}`,
        object: {
          kind: 'Secret',
          apiVersion: 'v1',
          metadata: { name: `s-${i}`, namespace, uid: `u-${i}`, ownerReferences: [reference(owner) as never] },
        },
        expect: 'absent',
      },
    ])
  await Promise.all(Array.from({ length: 10_000 }, (_, i) => put(i)))
  await api.send('DELETE', `${here}/configmaps/many`)
  // Others are served all the while: they see the collection shrink.
  const seen = new Set<number>()
  for (let left = 10_000; left > 0; seen.add(left)) {
    const { metadata, items } = await api.get(`${here}/secrets?limit=1`)
    left = items.length + (metadata.remainingItemCount ?? 0)
  }
  expect(seen.size).toBeGreaterThan(5)
  expect(namesOf(await api.get(`${here}/secrets`))).toEqual([])
}, 60_000)
