import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { thing, THINGS } from '../../../test/kube/scripted-caches.ts'
import { ScriptedClient, UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { forbidden } from '../../machinery/status.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { SharedReflector } from '../../kube/cache/shared-reflector.ts'
import { CountedKind } from './counted-kind.ts'
import { QuotaCount } from './quota-count.ts'

const EVERYWHERE = { has: () => true }
const REMEMBERED = 100
const nameOf = ({ namespace }: QuotaCount) => (namespace === undefined ? {} : { namespace })

let running: CountedKind | undefined
afterEach(() => running?.stop())

/** `dearMs`: how long it takes to measure an object. */
function setUp(dearMs = 0) {
  const server = new ScriptedClient(THINGS)
  const clock = new ManualClock()
  const counts: QuotaCount[] = []
  const shared = new SharedReflector({ client: server, clock, logger: silentLogger })
  const kind = new CountedKind({
    client: server,
    clock,
    kind: THINGS,
    remembered: REMEMBERED,
    follow: (of, sink) => shared.follow({ kind: of }, sink),
    measure: ({ metadata: { namespace }, size }) => {
      for (const until = performance.now() + dearMs; performance.now() < until;);
      return Number(size) === 0
        ? []
        : counts
            .filter((count) => !count.isDropped && (count.namespace ?? namespace) === namespace)
            .map((count) => ({ count, amount: Quantity.of(Number(size)) }))
    },
  })
  running = kind
  const add = (namespace?: string, selected: { has(one: string): boolean } = EVERYWHERE): QuotaCount => {
    const count = new QuotaCount(namespace, selected, () => void seen.push(String(kind.problem)))
    counts.push(count)
    kind.add(count)
    return count
  }
  /** The problem of the kind each time that a count has changed. */
  const seen: string[] = []
  return { server, clock, kind, add, seen }
}

const at = (namespace: string, name: string, size: number): KubeObject => ({
  ...thing(name, size),
  metadata: { namespace, name },
})
const total = ({ total: sum }: QuotaCount): string => sum.toString()

/** Returns the result of a recount. */
const recount = (server: ScriptedClient, { namespace, selects }: { namespace?: string; selects?: string }): string =>
  String(
    [...server.state.values()]
      .filter(({ metadata }) => (namespace ?? selects ?? metadata.namespace) === metadata.namespace)
      .reduce((sum, { size }) => sum + Number(size), 0),
  )

describe('the count of a kind', () => {
  test('follows what is listed and what is watched', async () => {
    const { server, kind, add } = setUp()
    server.put(at('n', 'a', 2))
    const count = add()
    kind.start()
    await settled()
    expect([total(count), count.countedAt]).toEqual(['2', '11'])
    server.put(at('n', 'b', 3))
    server.put(at('n', 'a', 5))
    await settled()
    expect([total(count), kind.versionOf()]).toEqual(['8', '13'])
    server.remove({ namespace: 'n', name: 'a' })
    await settled()
    expect(total(count)).toBe('3')
  })

  test('has the objects of a later quota listed beside the watch', async () => {
    const { server, kind, add } = setUp()
    for (const namespace of ['m', 'n']) server.put(at(namespace, 'a', 2))
    const first = add()
    kind.start()
    await settled()
    const before = server.calls.length
    const later = add('n')
    expect(later.countedAt).toBeUndefined()
    await settled()
    expect([total(first), total(later)]).toEqual(['4', '2'])
    expect(server.calls.slice(before)).toEqual(['list'])
    expect(later.countedAt).toBe('12')
  })

  test('lists once for a thousand quotas that come together', async () => {
    const { server, kind, add } = setUp()
    server.put(at('n1', 'a', 2))
    add()
    kind.start()
    await settled()
    const before = server.calls.length
    const counts = Array.from({ length: 1000 }, (_, index) => add(`n${index}`))
    await settled()
    expect(counts.every(({ countedAt }) => countedAt !== undefined)).toBe(true)
    expect(server.calls.slice(before)).toHaveLength(1)
    expect(counts.map(total).filter((sum) => sum !== '0')).toEqual(['2'])
  })

  test('is ahead of a silent watch after a list, and an old event changes nothing then', async () => {
    const { server, kind, add } = setUp()
    const count = add()
    kind.start()
    await settled()
    server.muted = true
    server.put(at('n', 'a', 2))
    server.put(at('n', 'b', 2))
    server.remove({ namespace: 'n', name: 'b' })
    await kind.list()
    expect([total(count), kind.versionOf()]).toEqual(['2', '13'])
    server.muted = false
    server.deliver()
    await settled()
    expect([total(count), kind.versionOf()]).toEqual(['2', '13'])
    expect(kind.objects.lastSight('n', 'b', 'uid-2')?.isGone).toBe(true)
  })

  test('remembers the end of an object that nobody counts any more', async () => {
    const { server, kind, add } = setUp()
    add()
    kind.start()
    await settled()
    server.put(at('n', 'a', 2))
    server.put(at('n', 'a', 0))
    await settled()
    expect(kind.objects.get('n', 'a')).toBeUndefined()
    expect(kind.objects.lastSight('n', 'a', 'uid-1')).toEqual({ version: '12', isGone: false })
    server.remove({ namespace: 'n', name: 'a' })
    await settled()
    expect(kind.objects.lastSight('n', 'a', 'uid-1')).toEqual({ version: '13', isGone: true })
  })

  test('follows namespaces that come and go without a list', async () => {
    const { server, kind, add } = setUp()
    for (const namespace of ['m', 'n']) server.put(at(namespace, 'a', 2))
    const selected = new Set(['n'])
    const count = add(undefined, selected)
    kind.start()
    await settled()
    const before = server.calls.length
    expect(total(count)).toBe('2')
    selected.add('m')
    count.reselect('m', true)
    expect(total(count)).toBe('4')
    for (const namespace of ['m', 'n']) {
      selected.delete(namespace)
      count.reselect(namespace, false)
    }
    expect(total(count)).toBe('0')
    expect(server.calls.length).toBe(before)
  })

  test('says what keeps it from counting, and counts when that is over', async () => {
    const { server, clock, kind, add } = setUp()
    server.failNext('list', forbidden({ group: 'a.test', resource: 'things' }, '', 'no'))
    const count = add()
    kind.start()
    await settled()
    expect(String(kind.problem)).toContain('things.a.test is forbidden')
    expect(count.countedAt).toBeUndefined()
    await clock.advance(5000)
    expect(kind.problem).toBeUndefined()
    expect(count.countedAt).toBe('10')
  })

  test('notifies a quiet quota when its kind may not be watched any more, and when only the watch works again', async () => {
    const { server, clock, kind, add, seen } = setUp()
    add('n')
    kind.start()
    await clock.advance(5000)
    seen.length = 0
    const denied = forbidden({ group: 'a.test', resource: 'things' }, '', 'no')
    for (let refusal = 0; refusal < 2; refusal++) server.failNext('list', denied)
    server.endWatches()
    await settled()
    expect(seen).toEqual([String(denied)])
    const before = server.calls.length
    while (server.openWatches === 0) await clock.advance(100)
    expect(server.calls.slice(before)).not.toContain('list')
    expect(seen).toEqual([String(denied), 'undefined'])
  })

  test('keeps a refused watch in mind while lists succeed', async () => {
    const { server, clock, kind, add, seen } = setUp()
    add()
    const denied = forbidden({ group: 'a.test', resource: 'things' }, '', 'no')
    for (let refusal = 0; refusal < 11; refusal++) server.failNext('watch', denied)
    kind.start()
    while (server.calls.filter((call) => call.startsWith('watch')).length < 11) await clock.advance(1000)
    expect(server.calls.filter((call) => call === 'list').length).toBeGreaterThan(1)
    expect(seen.slice(seen.indexOf(String(denied)))).not.toContain('undefined')
    while (server.openWatches === 0) await clock.advance(1000)
    expect([kind.problem, seen.at(-1)]).toEqual([undefined, 'undefined'])
  })

  test('notifies all quotas of a kind when the list for one of them fails, and when it works again', async () => {
    const { server, clock, kind, add, seen } = setUp()
    add('m')
    kind.start()
    await settled()
    seen.length = 0
    const denied = forbidden({ group: 'a.test', resource: 'things' }, '', 'no')
    server.failNext('list', denied)
    add('n')
    await settled()
    expect(seen).toEqual([String(denied), String(denied)])
    await clock.advance(5000)
    expect(seen.filter((one) => one === 'undefined').length).toBeGreaterThanOrEqual(2)
  })

  test('reports only the end of an outage of the server itself', async () => {
    const { server, clock, kind, add, seen } = setUp()
    add()
    kind.start()
    await settled()
    seen.length = 0
    server.outage = UNREACHABLE
    server.endWatches(UNREACHABLE)
    await clock.advance(10_000)
    expect([String(kind.problem), seen]).toEqual([String(UNREACHABLE), []])
    server.outage = undefined
    while (server.openWatches === 0) await clock.advance(100)
    expect(seen).toEqual(['undefined'])
  })

  test('lets others have their turn between objects that are dear to measure', async () => {
    const { server, kind, add } = setUp(10)
    for (let n = 0; n < 20; n++) server.put(at('n', `o${n}`, 1))
    const count = add()
    let turns = 0
    const takeTurn = (): void => {
      turns++
      if (count.countedAt === undefined) setImmediate(takeTurn)
    }
    setImmediate(takeTurn)
    kind.start()
    while (count.countedAt === undefined) await settled()
    expect(total(count)).toBe('20')
    expect(turns).toBeGreaterThan(10)
  })

  test('keeps the count of a quota that comes while a longer list is measured for others', async () => {
    for (const turns of [1, 3, 5, 8]) {
      const { server, kind, add } = setUp(10)
      for (let n = 0; n < 3; n++) server.put(at('n', `o${n}`, 1))
      for (let n = 0; n < 20; n++) server.put(at('m', `o${n}`, 1))
      const first = add('m')
      kind.start()
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      // Its own list ends before the other, in which its objects were seen before it came.
      const later = add('n')
      while (first.countedAt === undefined || later.countedAt === undefined) await settled()
      expect([total(first), total(later)]).toEqual(['20', '3'])
      server.remove({ namespace: 'n', name: 'o0' })
      await settled()
      expect(total(later)).toBe('2')
      await kind.stop()
    }
  })

  test('leaves out an object that a list shows in a newer state than the watch, in which no quota counts it', async () => {
    const { server, kind, add } = setUp()
    const count = add()
    kind.start()
    await settled()
    server.muted = true
    for (const [name, size] of [
      ['a', 1],
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 0],
    ] as const)
      server.put(at('n', name, size))
    const openFirstPage = hold(server)
    const listed = kind.list()
    await settled()
    openFirstPage()
    const open = hold(server)
    await settled()
    // The first of its states is counted after its page has come, and before the list ends.
    server.deliver(1)
    await settled()
    expect(total(count)).toBe('1')
    open()
    await listed
    expect(total(count)).toBe('0')
    server.deliver()
    await settled()
    expect(total(count)).toBe('0')
  })

  test('comes to the newest state although the list of the watch ends after a newer one', async () => {
    const { server, kind, add } = setUp()
    server.put(at('n', 'a', 1))
    const count = add()
    const open = hold(server)
    kind.start()
    await settled()
    server.listGate = undefined
    server.put(at('n', 'a', 0))
    await kind.list()
    open()
    await settled()
    expect([total(count), kind.versionOf()]).toEqual(['0', '12'])
  })

  test('lists again when the watch has begun again with a newer list meanwhile', async () => {
    const { server, clock, kind, add } = setUp()
    const count = add()
    kind.start()
    await settled()
    server.muted = true
    server.put(at('n', 'a', 1))
    const open = hold(server)
    const listed = kind.list()
    await settled()
    server.remove({ namespace: 'n', name: 'a' })
    server.listGate = undefined
    server.compact()
    server.endWatches(UNREACHABLE)
    await clock.advance(60_000)
    open()
    await listed
    expect([total(count), kind.versionOf()]).toEqual(['0', '12'])
  })

  test('leaves out what went while it was being listed, however much has happened since', async () => {
    const { server, kind, add } = setUp()
    server.put(at('n', 'a', 1))
    const count = add()
    kind.start()
    await settled()
    const open = hold(server)
    const listed = kind.list()
    await settled()
    server.muted = true
    server.remove({ namespace: 'n', name: 'a' })
    for (let other = 0; other < 2 * REMEMBERED; other++) {
      server.put(at('n', `o${other}`, 0))
      server.remove({ namespace: 'n', name: `o${other}` })
    }
    server.deliver()
    await settled()
    open()
    await listed
    expect(total(count)).toBe('0')
  })

  test('starts over on a server that was restored from a backup', async () => {
    const { server, clock, kind, add } = setUp()
    const count = add()
    kind.start()
    server.put(at('n', 'a', 2))
    server.backup()
    await settled()
    server.put(at('n', 'a', 7))
    await settled()
    expect(total(count)).toBe('7')
    server.restore()
    await clock.advance(60_000)
    expect([total(count), kind.versionOf()]).toEqual(['2', '11'])
  })

  test('knows about how many objects a list has, counted or not', async () => {
    const { server, kind, add } = setUp()
    for (const namespace of ['m', 'n']) server.put(at(namespace, 'a', 0))
    add()
    kind.start()
    await settled()
    expect([kind.sizes.of(undefined), kind.sizes.of('m')]).toEqual([2, 1])
    server.put(at('m', 'b', 1))
    server.remove({ namespace: 'n', name: 'a' })
    await settled()
    expect([kind.sizes.of(undefined), kind.sizes.of('m'), kind.sizes.of('n')]).toEqual([2, 2, 0])
    await kind.list('m')
    expect([kind.sizes.of(undefined), kind.sizes.of('m')]).toEqual([2, 2])
  })

  test('wakes those who wait for a version, and no one earlier', async () => {
    const { server, kind, add } = setUp()
    add()
    kind.start()
    await settled()
    let isThere = false
    void kind.whenReached('12', undefined, new AbortController().signal).then(() => (isThere = true))
    server.put(at('n', 'a', 1))
    await settled()
    expect(isThere).toBe(false)
    server.put(at('n', 'a', 2))
    await settled()
    expect(isThere).toBe(true)
  })

  test('leaves nobody waiting for a list when it ends, however far the list has come', async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { server, kind, add } = setUp()
      add()
      kind.start()
      await settled()
      server.failNext('list', UNREACHABLE)
      const lists = [kind.list()]
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      lists.push(kind.list('n'))
      const stopped = kind.stop()
      lists.push(kind.list('m'))
      const outcomes = lists.map((list) => list.then(String, String))
      await stopped
      expect(await Promise.all(outcomes)).toContain('Error: things are no longer counted')
    }
  })

  test('always comes to a recount, whatever happens in whatever order', async () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const namespace = fc.constantFrom('m', 'n')
    const step = fc.oneof(
      fc.record({ type: fc.constant('put' as const), namespace, name, size: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ type: fc.constant('remove' as const), namespace, name }),
      fc.record({ type: fc.constantFrom('list' as const, 'add' as const), namespace: fc.option(namespace) }),
      fc.record({
        type: fc.constantFrom('mute', 'deliver', 'cut', 'compact', 'settle', 'drop', 'time', 'hold', 'release', 'turn'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { server, clock, kind, add } = setUp()
        const counts = [add(), add('n'), add(undefined, new Set(['m']))]
        kind.start()
        for (const one of steps) {
          if (one.type === 'put') server.put(at(one.namespace, one.name, one.size))
          else if (one.type === 'remove') server.remove(one)
          else if (one.type === 'list') kind.list(one.namespace ?? undefined).catch(() => undefined)
          else if (one.type === 'add') counts.push(add(one.namespace ?? undefined))
          else if (one.type === 'mute') server.muted = true
          else if (one.type === 'deliver') server.deliver()
          else if (one.type === 'cut') server.endWatches(UNREACHABLE)
          else if (one.type === 'compact') server.compact()
          else if (one.type === 'settle') await settled()
          else if (one.type === 'time') await clock.advance(1000)
          else if (one.type === 'turn') await Promise.resolve()
          else if (one.type === 'hold') void hold(server)
          else if (one.type === 'release') release()
          else if (counts.length > 3) kind.drop(counts.pop() as QuotaCount)
        }
        release()
        server.muted = false
        server.deliver()
        await clock.advance(120_000)
        await vi.waitUntil(() => counts.every(({ countedAt }) => countedAt !== undefined))
        for (const [index, count] of counts.entries())
          expect(total(count)).toBe(recount(server, index === 2 ? { selects: 'm' } : { ...nameOf(count) }))
        expect(Number(kind.versionOf())).toBeLessThanOrEqual(Number(server.revision))
        await kind.stop()
      }),
      { numRuns: 300 },
    )
  })
})

/** Lists that are read from now on wait until the returned function, or `release`, lets them go on. */
function hold(server: ScriptedClient): () => void {
  const gate = Promise.withResolvers<void>()
  server.listGate = gate.promise
  const open = (): void => {
    gate.resolve()
    if (server.listGate === gate.promise) server.listGate = undefined
  }
  held.push(open)
  return open
}

const held: (() => void)[] = []
const release = (): void => held.splice(0).forEach((open) => open())
