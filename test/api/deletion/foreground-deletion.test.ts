import { describe, expect, test } from 'vitest'
import { apiServer, configMap } from '../api-server.ts'
import { owned, ownedMaps, reference } from './owned-maps.ts'

const api = apiServer()
const { fresh, maps, create, get, remove, gone, until, release, settled, family } = ownedMaps(api)

describe('in the foreground', () => {
  const FOREGROUND = { propagationPolicy: 'Foreground' }

  test('an owner waits for the dependents that block it', async () => {
    const [owner = ''] = await family(0)
    const held = fresh()
    await create(owned(held, [reference(await get(owner), { blockOwnerDeletion: true })], ['a.test/x']))
    const { status, body } = await remove(owner, FOREGROUND)
    expect([status, body.metadata.finalizers, typeof body.metadata.deletionTimestamp]).toEqual([
      200,
      ['foregroundDeletion'],
      'string',
    ])
    await until(held, ({ metadata }) => metadata.deletionTimestamp !== undefined)
    await settled()
    expect((await get(owner)).metadata.finalizers).toEqual(['foregroundDeletion'])
    await release(held)
    expect(await gone(owner)).toBe('NotFound')
  })

  test('it does not wait for others, but they go', async () => {
    const [owner = ''] = await family(0)
    const held = fresh()
    await create(owned(held, [reference(await get(owner))], ['a.test/x']))
    await remove(owner, FOREGROUND)
    expect(await gone(owner)).toBe('NotFound')
    await until(held, ({ metadata }) => metadata.deletionTimestamp !== undefined)
    await release(held)
  })

  test('without dependents it goes at once', async () => {
    const [owner = ''] = await family(0)
    await remove(owner, FOREGROUND)
    expect(await gone(owner)).toBe('NotFound')
  })

  test('a tree goes from its leaves', async () => {
    const [root = '', branch = ''] = await family(1, { blockOwnerDeletion: true })
    const leaf = fresh()
    await create(owned(leaf, [reference(await get(branch), { blockOwnerDeletion: true })], ['a.test/x']))
    await remove(root, FOREGROUND)
    await until(leaf, ({ metadata }) => metadata.deletionTimestamp !== undefined)
    expect((await get(branch)).metadata.finalizers).toEqual(['foregroundDeletion'])
    await release(leaf)
    expect(await gone(root)).toBe('NotFound')
    expect((await get(branch)).code).toBe(404)
  })

  test('a dependent that others own leaves the one that waits', async () => {
    const [waits, stays] = [fresh(), fresh()]
    const owners = [await create(configMap(waits)), await create(configMap(stays))]
    const shared = fresh()
    await create(
      owned(
        shared,
        owners.map((owner) => reference(owner, { blockOwnerDeletion: true })),
      ),
    )
    await remove(waits, FOREGROUND)
    expect(await gone(waits)).toBe('NotFound')
    expect((await get(shared)).metadata.ownerReferences).toEqual([reference(owners[1], { blockOwnerDeletion: true })])
  })

  test('owners in a circle that block each other go', async () => {
    const [a = '', b = ''] = await family(1, { blockOwnerDeletion: true })
    await api.patch(`${maps()}/${a}`, {
      metadata: { ownerReferences: [reference(await get(b), { blockOwnerDeletion: true })] },
    })
    await remove(a, FOREGROUND)
    expect(await gone(a)).toBe('NotFound')
    expect(await gone(b)).toBe('NotFound')
  })

  test('so does one that owns itself', async () => {
    const [own = ''] = await family(0)
    await api.patch(`${maps()}/${own}`, {
      metadata: { ownerReferences: [reference(await get(own), { blockOwnerDeletion: true })] },
    })
    await remove(own, FOREGROUND)
    expect(await gone(own)).toBe('NotFound')
  })

  test('a dependent that comes late goes too', async () => {
    const [owner = ''] = await family(0)
    const held = fresh()
    await create(owned(held, [reference(await get(owner), { blockOwnerDeletion: true })], ['a.test/x']))
    const { body } = await remove(owner, FOREGROUND)
    const late = fresh()
    await create(owned(late, [reference(body)]))
    expect(await gone(late)).toBe('NotFound')
    await release(held)
    expect(await gone(owner)).toBe('NotFound')
  })

  test('a second deletion in the background ends the wait', async () => {
    const [owner = ''] = await family(0)
    const held = fresh()
    await create(owned(held, [reference(await get(owner), { blockOwnerDeletion: true })], ['a.test/x']))
    const first = await remove(owner, FOREGROUND)
    const again = await remove(owner)
    expect(again.body.metadata).toEqual(first.body.metadata)
    expect((await remove(owner, { propagationPolicy: 'Background' })).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
    })
    expect((await get(owner)).code).toBe(404)
    await release(held)
    expect(await gone(held)).toBe('NotFound')
  })
})
