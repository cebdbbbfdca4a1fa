import { describe, expect, test } from 'vitest'
import { apiServer, configMap } from '../api-server.ts'
import { owned, ownedMaps, reference } from './owned-maps.ts'

const api = apiServer()
const { fresh, create, get, remove, gone, release, settled, family, home } = ownedMaps(api)

describe('orphaning', () => {
  test('leaves the dependents without an owner', async () => {
    const [owner = '', ...dependents] = await family(3, { blockOwnerDeletion: true })
    const { body } = await remove(owner, { propagationPolicy: 'Orphan' })
    expect(body.metadata.finalizers).toEqual(['orphan'])
    expect(await gone(owner)).toBe('NotFound')
    await settled()
    for (const dependent of dependents) {
      const { metadata } = await get(dependent)
      expect([metadata.ownerReferences, metadata.deletionTimestamp]).toEqual([undefined, undefined])
    }
  })

  test('is what orphanDependents asks for, and its opposite is not', async () => {
    const [owner = '', dependent = ''] = await family(1)
    await remove(owner, { orphanDependents: true })
    expect(await gone(owner)).toBe('NotFound')
    expect((await get(dependent)).metadata.ownerReferences).toBeUndefined()
    const [other = '', follower = ''] = await family(1)
    expect((await remove(other, { orphanDependents: false })).status).toBe(200)
    expect(await gone(follower)).toBe('NotFound')
  })

  test('a deletion is only accepted where dependents were to go and an object stays', async () => {
    const held = fresh()
    await create(configMap(held, {}, { finalizers: ['a.test/x'] }))
    expect((await remove(held, { orphanDependents: false })).status).toBe(202)
    expect((await remove(held)).status).toBe(200)
    await release(held)
  })

  test('is the default of jobs, which say so', async () => {
    const name = fresh()
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
    const path = `/apis/batch/v1/namespaces/${home().split('/').at(-1)}/jobs`
    for (const options of [undefined, { propagationPolicy: 'Background' }]) {
      const job = await api.create(path, { metadata: { name }, spec: { template } })
      await create(owned(name, [reference(job)]))
      const { headers } = await api.send('DELETE', `${path}/${name}`, options)
      const says =
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'
      expect(headers.get('warning')).toBe(options === undefined ? `299 - "${says}"` : null)
      await api.until(`${path}/${name}`, ({ code }) => code === 404)
      if (options !== undefined) expect(await gone(name)).toBe('NotFound')
      else expect((await get(name)).metadata.ownerReferences).toBeUndefined()
      await remove(name)
    }
  })

  test('is the default of replication controllers, without a word', async () => {
    const name = fresh()
    const spec = {
      selector: { a: 'b' },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    }
    const owner = await api.create(`${home()}/replicationcontrollers`, { metadata: { name }, spec })
    await create(owned(name, [reference(owner)]))
    expect((await api.send('DELETE', `${home()}/replicationcontrollers/${name}`)).headers.get('warning')).toBeNull()
    await api.until(`${home()}/replicationcontrollers/${name}`, ({ code }) => code === 404)
    expect((await get(name)).metadata.ownerReferences).toBeUndefined()
  })
})
