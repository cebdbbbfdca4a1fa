import { describe, expect, test } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import { expired } from '../../machinery/status.ts'
import { names, scriptedCaches, thing } from '../../../test/kube/scripted-caches.ts'

const { started } = scriptedCaches()

describe('a write of our own', () => {
  test('is read at once, and reported once', async () => {
    const { server, cache, reported } = await started([thing('a', 1)])
    server.muted = true
    cache.observed(server.put(thing('a', 2)))
    expect(cache.get('n', 'a')?.size).toBe(2)
    server.deliver()
    await settled()
    expect(reported).toEqual(['a=1>a=2'])
  })

  test('is not undone by an older event that comes later', async () => {
    const { server, cache, reported } = await started([thing('a', 1)])
    server.muted = true
    server.put(thing('a', 2))
    cache.observed(server.put(thing('a', 3)))
    server.deliver()
    await settled()
    expect(reported).toEqual(['a=1>a=3'])
  })

  test('does not bring back what was deleted before its answer came', async () => {
    const { server, cache } = await started([thing('a', 1)])
    const written = server.put(thing('a', 2))
    server.remove({ namespace: 'n', name: 'a' })
    await settled()
    cache.observed(written)
    expect(names(cache)).toEqual([])
  })

  test('is not undone by a list that was read before it', async () => {
    const { server, clock, cache, reported } = await started([thing('a', 1), thing('b', 1)])
    let open = (): void => {}
    server.listGate = new Promise((resolve) => (open = resolve))
    server.endWatches(expired('too old resource version'))
    await clock.advance(1000)
    expect(server.calls.slice(2)).toEqual(['list'])
    cache.observed(server.put(thing('a', 2)))
    cache.observed(server.put(thing('c', 1)))
    open()
    await settled()
    expect(reported).toEqual(['a=1>a=2', '>c=1'])
    expect(server.openWatches).toBe(1)
    expect(names(cache)).toEqual(['a', 'b', 'c'])
  })

  test('is taken back by a list that was read after what it wrote was deleted', async () => {
    const { server, clock, cache } = await started([thing('a', 1)])
    const written = server.put(thing('b', 1))
    server.remove({ namespace: 'n', name: 'b' })
    await settled()
    let open = (): void => {}
    server.listGate = new Promise((resolve) => (open = resolve))
    server.endWatches(expired('too old resource version'))
    await clock.advance(1000)
    cache.observed(written)
    expect(names(cache)).toEqual(['a', 'b'])
    open()
    await settled()
    expect(names(cache)).toEqual(['a'])
  })

  test('that the watch would not report is left out', async () => {
    const { server, cache } = await started([], { labelSelector: 'color=red' })
    server.muted = true
    cache.observed(server.put(thing('a', 1, { color: 'blue' })))
    cache.observed(server.put(thing('b', 1, { color: 'red' })))
    expect(names(cache)).toEqual(['b'])
  })

  test('is left to the watch when versions cannot be compared', async () => {
    const { cache } = await started()
    cache.observed({ ...thing('a', 1), metadata: { namespace: 'n', name: 'a', uid: 'u', resourceVersion: 'opaque' } })
    expect(names(cache)).toEqual([])
  })
})
