import { describe, expect, test } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { expired, forbidden, internalError, tooManyRequests } from '../../machinery/status.ts'
import { names, scriptedCaches, thing, THINGS } from '../../../test/kube/scripted-caches.ts'

const { setUp, started } = scriptedCaches()

describe('a watch that ends', () => {
  test('is resumed at once from the last version that was applied, when the server ended it', async () => {
    const { server, clock, cache } = await started([thing('a')])
    await clock.advance(5000)
    server.put(thing('b'))
    await settled()
    server.endWatches()
    await settled()
    expect(server.calls.slice(2)).toEqual(['probe', 'watch@12'])
    server.put(thing('c'))
    await settled()
    expect(names(cache)).toEqual(['a', 'b', 'c'])
  })

  test('is resumed from the version of a bookmark', async () => {
    const { server, clock } = await started([thing('a')])
    server.tick(50)
    server.bookmark()
    await settled()
    server.endWatches(UNREACHABLE)
    await clock.advance(1000)
    expect(server.calls.slice(2)).toEqual(['probe', 'watch@61'])
  })

  test('is over as soon as the server accepts the watch again, however silent it is then', async () => {
    const { server, clock, cache } = await started([thing('a')])
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    await clock.advance(5000)
    expect(cache.problem).toBe(UNREACHABLE)
    server.outage = undefined
    while (server.openWatches === 0) await clock.advance(100)
    expect(cache.problem).toBeUndefined()
  })

  test('does not lose what happened meanwhile', async () => {
    const { server, clock, reported } = await started([thing('a', 1)])
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    await clock.advance(60_000)
    server.put(thing('a', 2))
    server.put(thing('b', 1))
    server.remove({ namespace: 'n', name: 'a' })
    server.outage = undefined
    await clock.advance(60_000)
    expect(reported).toEqual(['a=1>a=2', '>b=1', 'a=2>'])
  })

  test('is tried again ever more slowly while the server is away, and never with a list', async () => {
    const { server, clock } = await started()
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    const before = server.calls.length
    await clock.advance(3_600_000)
    const tries = server.calls.slice(before)
    expect(new Set(tries)).toEqual(new Set(['probe']))
    expect(tries.length).toBeGreaterThan(100)
    expect(tries.length).toBeLessThan(150)
  })

  test('is not hammered when it ends each time as soon as it has begun', async () => {
    const { server, clock } = await started()
    const before = server.calls.length
    for (let second = 0; second < 60; second++) {
      server.endWatches()
      await clock.advance(1000)
    }
    expect(server.calls.length - before).toBeLessThanOrEqual(130)
  })

  test('is listed again when its version is too old, and reports objects that vanished or changed, but not unchanged ones', async () => {
    const { server, clock, reported } = await started([thing('a', 1), thing('b', 1), thing('c', 1)])
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    server.put(thing('a', 2))
    server.remove({ namespace: 'n', name: 'b' })
    server.put(thing('d', 1))
    server.compact()
    server.outage = undefined
    await clock.advance(60_000)
    expect(reported).toEqual(['a=1>a=2', '>d=1', 'b=1>'])
    expect(server.openWatches).toBe(1)
  })

  test('is listed again when the watch itself says that its version is gone', async () => {
    const { server, clock } = await started([thing('a', 1)])
    server.endWatches(expired('too old resource version'))
    await clock.advance(1000)
    expect(server.calls.slice(2)).toEqual(['list', 'watch@11'])
  })

  test('is listed again at once when its version is too old for a server that was away for long', async () => {
    const { server, clock, reported } = await started([thing('a', 1)])
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    await clock.advance(20_000)
    server.put(thing('a', 2))
    server.compact()
    server.outage = undefined
    while (!server.calls.includes('watch@11', 3)) await clock.advance(100)
    await clock.advance(200)
    expect(reported).toEqual(['a=1>a=2'])
  })

  test('whose version is too old right after the list is not begun again and again without a pause', async () => {
    const { server, clock } = await started([thing('a', 1)])
    for (let i = 0; i < 20; i++) server.failNext('watch', expired('too old resource version'))
    server.endWatches()
    const before = server.calls.length
    await clock.advance(10_000)
    expect(server.calls.length - before).toBeLessThan(20)
  })

  test('is listed again when the server refuses it again and again', async () => {
    const { server, clock } = await started([thing('a', 1)])
    for (let i = 0; i < 6; i++) server.failNext('watch', internalError('no watch'))
    server.endWatches(internalError('no watch'))
    await clock.advance(60_000)
    expect(server.calls.filter((call) => call === 'list')).toHaveLength(2)
    expect(server.openWatches).toBe(1)
  })

  test('reports an object that replaced another of its name as two changes', async () => {
    const { server, clock, reported } = await started([thing('a', 1)])
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    server.remove({ namespace: 'n', name: 'a' })
    server.put(thing('a', 1))
    server.compact()
    server.outage = undefined
    await clock.advance(60_000)
    expect(reported).toEqual(['a=1>', '>a=1'])
  })

  test('is made anew when it has been silent for longer than a server with bookmarks would be', async () => {
    const { server, clock } = await started()
    await clock.advance(60_000)
    server.bookmark()
    await clock.advance(149_000)
    expect(server.calls).toHaveLength(2)
    await clock.advance(2000)
    expect(server.calls.slice(2)).toEqual(['probe', 'watch@10'])
  })

  test('of a server without bookmarks may be silent for minutes', async () => {
    const { server, clock } = await started()
    await clock.advance(299_000)
    expect(server.calls).toHaveLength(2)
    await clock.advance(301_000)
    expect(server.calls.slice(2)).toEqual(['probe', 'watch@10'])
  })

  test('is listed again when the server was restored from a backup and is behind it', async () => {
    const { server, clock, cache, reported } = await started([thing('a', 1)])
    server.backup()
    server.put(thing('a', 2))
    server.put(thing('b', 1))
    await settled()
    reported.length = 0
    server.restore()
    await clock.advance(60_000)
    expect(reported).toEqual(['a=2>a=1', 'b=1>'])
    server.put(thing('c', 1))
    await settled()
    expect(names(cache)).toEqual(['a', 'c'])
  })
})

describe('a list that fails', () => {
  test('is tried again until the server answers, not before the server wants it', async () => {
    const { server, clock, cache } = setUp()
    server.put(thing('a'))
    server.failNext('list', tooManyRequests('slow down', 7))
    cache.start()
    await clock.advance(6900)
    expect(server.calls).toEqual(['list'])
    await clock.advance(2000)
    expect(names(cache)).toEqual(['a'])
  })

  test('says why the cache is not kept up to date', async () => {
    const { server, clock, cache } = setUp()
    const refused = forbidden(THINGS, '', 'no')
    server.outage = refused
    cache.start()
    await clock.advance(60_000)
    expect(cache.problem).toBe(refused)
    server.outage = undefined
    await clock.advance(60_000)
    expect(cache.problem).toBeUndefined()
    expect(cache.synced).toBe(true)
  })

  test('midway leaves what it had, and is begun again as a whole', async () => {
    const { server, clock, cache } = setUp()
    for (const name of ['a', 'b', 'c', 'd']) server.put(thing(name))
    let open = (): void => {}
    server.listGate = new Promise((resolve) => (open = resolve))
    cache.start()
    await settled()
    server.remove({ namespace: 'n', name: 'a' })
    server.compact()
    server.listGate = undefined
    open()
    await settled()
    expect(cache.synced).toBe(false)
    expect(names(cache)).toEqual(['a', 'b', 'c'])
    await clock.advance(1000)
    expect(names(cache)).toEqual(['b', 'c', 'd'])
    // The second time all of it was asked for at once.
    expect(server.calls).toEqual(['list', 'list', 'list', 'watch@15'])
  })

  test('lets the silence grow, whatever the wall clock does', async () => {
    const { server, clock, cache } = await started()
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    await clock.advance(10_000)
    clock.jump(-3_600_000)
    await clock.advance(10_000)
    expect(cache.silenceMs).toBe(20_000)
    clock.jump(7_200_000)
    server.outage = undefined
    await clock.advance(60_000)
    server.bookmark()
    await settled()
    expect(cache.silenceMs).toBe(0)
  })
})
