import { describe, expect, test } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { names, scriptedCaches, thing } from '../../../test/kube/scripted-caches.ts'

const { setUp, started } = scriptedCaches()

describe('a cache', () => {
  test('lists page by page, is synced after the last, and goes on with a watch from the version of the list', async () => {
    const { server, cache, reported } = setUp()
    for (const name of ['a', 'b', 'c', 'd']) server.put(thing(name))
    cache.start()
    expect(cache.synced).toBe(false)
    await cache.whenSynced()
    await settled()
    expect(names(cache)).toEqual(['a', 'b', 'c', 'd'])
    expect(reported).toEqual(['>a=0', '>b=0', '>c=0', '>d=0'])
    expect(server.calls).toEqual(['list', 'list', 'watch@14'])
  })

  test('follows changes, reports them, and keeps its indexes', async () => {
    const { server, cache, reported } = await started([thing('a', 1)])
    server.put(thing('b', 1))
    server.put(thing('a', 2))
    server.remove({ namespace: 'n', name: 'b' })
    await settled()
    expect(reported).toEqual(['>b=1', 'a=1>a=2', 'b=1>'])
    expect(cache.by('size', '2')).toEqual([cache.get('n', 'a')])
    expect(cache.by('size', '1')).toEqual([])
    expect(cache.size).toBe(1)
  })

  test('reports the existing objects to a handler that is added late', async () => {
    const { server, cache } = await started([thing('a', 1)])
    const reported: unknown[] = []
    const end = cache.onChange((old, current) => reported.push([old?.size, current?.size]))
    server.put(thing('a', 2))
    await settled()
    end()
    server.put(thing('a', 3))
    await settled()
    expect(reported).toEqual([
      [undefined, 1],
      [1, 2],
    ])
  })

  test('reports a change that a handler makes after the change that it handles', async () => {
    const { server, cache } = await started([thing('a', 1)])
    const reported: (number | undefined)[] = []
    cache.onChange((_, current) => {
      if (current?.size === 2) cache.observed(server.put(thing('a', 3)))
    })
    cache.onChange((_, current) => void reported.push(current?.size))
    server.put(thing('a', 2))
    await settled()
    expect(reported).toEqual([1, 2, 3])
  })

  test('rejects those that wait for it when it is stopped before it is synced', async () => {
    const { server, cache } = setUp()
    server.outage = UNREACHABLE
    cache.start()
    const synced = cache.whenSynced()
    await settled()
    await cache.stop()
    await expect(synced).rejects.toThrow('was stopped before it was filled')
  })

  test('leaves no timer and no watch behind when it is stopped', async () => {
    const { server, clock, cache } = await started([thing('a')])
    await cache.stop()
    await settled()
    expect([clock.sleepers, server.openWatches]).toEqual([0, 0])
  })
})

describe('a cache that watches only metadata', () => {
  const lean = { ownWrite: (): Promise<unknown> | undefined => undefined }

  test('reads what others wrote, and not what it has already', async () => {
    const { server, cache, reported } = await started([thing('a', 1)], lean)
    server.put(thing('a', 2))
    await settled()
    expect(reported).toEqual(['a=1>a=2'])
    server.muted = true
    cache.observed(server.put(thing('a', 3)))
    server.deliver()
    await settled()
    expect(reported).toEqual(['a=1>a=2', 'a=2>a=3'])
    expect(server.calls.filter((call) => call === 'get')).toEqual(['get'])
  })

  test('waits for the answer to a write before it reads', async () => {
    let answer = (): void => {}
    const write = new Promise<void>((resolve) => (answer = resolve))
    const { server, cache } = await started([thing('a', 1)], { ownWrite: () => write })
    const written = server.put(thing('a', 2))
    await settled()
    cache.observed(written)
    answer()
    await settled()
    expect([cache.get('n', 'a')?.size, server.calls.includes('get')]).toEqual([2, false])
  })

  test('waits no longer than two seconds', async () => {
    const { server, clock, cache } = await started([thing('a', 1)], { ownWrite: () => new Promise(() => {}) })
    server.put(thing('a', 2))
    await clock.advance(2000)
    expect(cache.get('n', 'a')?.size).toBe(2)
  })

  test('resumes after the event, not after what it read', async () => {
    let answer = (): void => {}
    const write = new Promise<void>((resolve) => (answer = resolve))
    const { server, clock, cache } = await started([thing('a', 1), thing('b', 1)], { ownWrite: () => write })
    server.put(thing('a', 2))
    await settled()
    server.remove({ namespace: 'n', name: 'b' })
    server.put(thing('a', 3))
    // Events after the first one are lost with the connection.
    server.endWatches()
    answer()
    await clock.advance(1000)
    expect([names(cache), cache.get('n', 'a')?.size]).toEqual([['a'], 3])
  })

  test('forgets what is gone before it was read', async () => {
    const { server, cache } = await started([thing('a', 1)], lean)
    server.muted = true
    server.put(thing('a', 2))
    server.remove({ namespace: 'n', name: 'a' })
    server.deliver()
    await settled()
    expect(names(cache)).toEqual([])
  })
})
