// Covers own-writes.ts with the cache.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { settled } from '../../../test/kube/manual-clock.ts'
import { expired } from '../../machinery/status.ts'
import { names, scriptedCaches, thing } from '../../../test/kube/scripted-caches.ts'
import { OwnWrites } from './own-writes.ts'

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

describe('a write of our own whose answer shows a change of others, too', () => {
  const A = { namespace: 'n', name: 'a' }

  async function written(theirs: readonly number[], ours: readonly number[]) {
    const all = await started([thing('a', 1)])
    const writers: (string | undefined)[] = []
    all.cache.onChange((_, __, { by }) => writers.push(by))
    writers.length = 0
    all.server.muted = true
    for (const size of theirs) all.server.put(thing('a', size))
    for (const size of ours) await all.cache.observeWrite(A, 'me', async () => all.server.put(thing('a', size)))
    return { ...all, writers }
  }

  test('is reported as a change of others when the watch shows that', async () => {
    const { server, reported, writers } = await written([2], [3, 4])
    expect(writers).toEqual(['me', 'me'])
    server.deliver()
    await settled()
    expect(writers).toEqual(['me', 'me', undefined])
    expect(reported.at(-1)).toBe('a=4>a=4')
  })

  test('is reported so, too, when the watch broke off before', async () => {
    const { server, clock, writers } = await written([2], [3])
    server.endWatches(expired('too old resource version'))
    await clock.advance(1000)
    await settled()
    expect(writers).toEqual(['me', undefined])
  })

  test('is reported once where nobody else has changed it', async () => {
    const { server, writers } = await written([], [2, 3])
    server.deliver()
    await settled()
    expect(writers).toEqual(['me', 'me'])
    server.put(thing('a', 4))
    server.deliver()
    await settled()
    expect(writers).toEqual(['me', 'me', undefined])
  })
})

describe('a write of our own that the watch shows before its answer comes', () => {
  const A = { namespace: 'n', name: 'a' }

  async function writing() {
    const all = await started([thing('a', 1)])
    const { cache, server } = all
    const writers: (string | undefined)[] = []
    cache.onChange((_, __, { by }) => writers.push(by))
    writers.length = 0
    const answer = Promise.withResolvers<void>()
    const written = cache.observeWrite(A, 'me', async () => {
      const stored = server.put(thing('a', 2))
      await settled()
      await answer.promise
      return stored
    })
    await settled()
    return { ...all, writers, answer, written }
  }

  test('is read at once, and reported once, as our own, when the answer comes', async () => {
    const { cache, reported, writers, answer, written } = await writing()
    expect(cache.get('n', 'a')?.size).toBe(2)
    expect(reported).toEqual([])
    answer.resolve()
    await written
    expect([reported, writers]).toEqual([['a=1>a=2'], ['me']])
  })

  test('is reported as a change of others when they changed the object too', async () => {
    const { server, reported, writers, answer, written } = await writing()
    server.put(thing('a', 3))
    await settled()
    answer.resolve()
    await written
    expect([reported, writers]).toEqual([['a=1>a=3'], [undefined]])
  })

  test('is reported as a change of others when no answer comes', async () => {
    const { reported, writers, answer, written } = await writing()
    answer.reject(new Error('no answer'))
    await expect(written).rejects.toThrow('no answer')
    expect([reported, writers]).toEqual([['a=1>a=2'], [undefined]])
  })

  test('is reported after a while when the answer is late', async () => {
    const { clock, reported, answer, written } = await writing()
    await clock.advance(4000)
    expect(reported).toEqual(['a=1>a=2'])
    answer.resolve()
    await written
    expect(reported).toEqual(['a=1>a=2'])
  })

  test('is reported before the deletion of its object', async () => {
    const { server, reported, answer, written } = await writing()
    server.remove(A)
    await settled()
    expect(reported).toEqual(['a=1>a=2', 'a=2>'])
    answer.resolve()
    await written
    expect(reported).toHaveLength(2)
  })

  test('is not reported a second time to handlers that begin meanwhile', async () => {
    const { cache, answer, written } = await writing()
    const seen: string[] = []
    cache.onChange((old, current) => seen.push(`${old?.size ?? ''}>${current?.size ?? ''}`))
    answer.resolve()
    await written
    expect(seen).toEqual(['>2'])
  })

  test('other objects are reported meanwhile', async () => {
    const { server, reported, answer, written } = await writing()
    server.put(thing('b', 5))
    await settled()
    expect(reported).toEqual(['>b=5'])
    answer.resolve()
    await written
  })
})

test('of two writes under way, the later one is reported as our own after the answer to the earlier one has come', async () => {
  const { server, cache } = await started([thing('a', 1)])
  const name = { namespace: 'n', name: 'a' }
  const reports: unknown[] = []
  cache.onChange((old, current, { by }) => reports.push([old?.size, current?.size, by]))
  reports.length = 0
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const [earlier, later] = answers.map(({ promise }, index) =>
    cache.observeWrite(name, 'me', async () => {
      if (index > 0) await answers[0].promise
      const stored = server.put(thing('a', 2 + index))
      await promise
      return stored
    }),
  )
  answers[0].resolve()
  await earlier
  await settled()
  // The watch has shown the later one, whose answer is on its way.
  expect([cache.get('n', 'a')?.size, reports]).toEqual([3, []])
  answers[1].resolve()
  await later
  expect(reports).toEqual([[1, 3, 'me']])
})

test('whatever happens, changes add up, are withheld only while their writer is not known, and are our own where all of them are', () => {
  const step = fc.constantFrom('begin', 'change', 'own', 'answer', 'end', 'gone', 'sweep', 'read')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const name = { namespace: 'n', name: 'a' }
      let at: number | undefined
      let reported: number | undefined
      let underWay = 0
      let isSwept = false
      const withheld: string[] = []
      const own = new Set<string>()
      /** The versions whose writer is known while writes are under way. */
      const answered = new Set<string>()
      const changes = new OwnWrites<number>(
        (old, current, _, by) => {
          expect(old).toBe(reported)
          const isOwn = withheld.length > 0 && withheld.every((version) => answered.has(version))
          expect(by).toBe(isOwn ? 'me' : undefined)
          withheld.length = 0
          reported = current
        },
        () => undefined,
      )
      const ends: (() => void)[] = []
      const end = (): void => {
        const one = ends.shift()
        if (one === undefined) return
        one()
        if (--underWay > 0) return
        expect(reported).toBe(at)
        answered.clear()
      }
      for (const [version, one] of steps.entries()) {
        const wasWithheld = withheld.length > 0
        switch (one) {
          case 'begin':
            ends.push(changes.begin(name))
            underWay++
            break
          case 'change':
          case 'own': {
            const old = at
            at = version
            if (one === 'own') own.add(String(version))
            if (underWay > 0) {
              if (!wasWithheld) isSwept = false
              withheld.push(String(version))
            }
            changes.changed(old, at, name, String(version))
            // Nobody has a reason to wait for it where nothing is being written.
            if (underWay === 0) expect(reported).toBe(at)
            break
          }
          case 'answer':
            for (const done of own) {
              changes.answered(name, done, 'me')
              if (underWay > 0) answered.add(done)
            }
            break
          case 'end':
            end()
            break
          case 'sweep': {
            const isLeft = changes.sweep()
            // A write that hangs withholds nothing for longer than from one sweep to the next but one.
            if (wasWithheld && isSwept) expect(reported).toBe(at)
            expect(isLeft).toBe(wasWithheld && !isSwept)
            isSwept = true
            break
          }
          case 'read':
            changes.releaseAll()
            expect(reported).toBe(at)
            break
          case 'gone':
            if (at !== undefined) changes.gone(at, name)
            at = undefined
            expect(reported).toBeUndefined()
            break
          default:
            one satisfies never
        }
        // An answer may still show whose they are.
        if (withheld.length > 0) expect([underWay > 0, reported === at]).toEqual([true, false])
        else expect(reported).toBe(at)
      }
      while (ends.length > 0) end()
      expect(reported).toBe(at)
    }),
    { numRuns: 1000 },
  )
})
