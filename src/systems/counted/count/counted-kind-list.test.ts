// Covers kind.ts: its lists.
import { describe, expect, test } from 'vitest'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { at, holdLists, REMEMBERED, setUp, total } from '../../../../test/operator/counting/counted-things.ts'
import { forbidden } from '../../../machinery/status.ts'

describe('the count of a kind', () => {
  test('has the objects of a later quota listed beside the watch', async () => {
    const { server, kind, add } = setUp()
    for (const namespace of ['m', 'n']) server.put(at(namespace, 'a', 2))
    const first = add()
    kind.start()
    while (first.countedAt === undefined) await settled()
    const before = server.calls.length
    const later = add('n')
    expect(later.countedAt).toBeUndefined()
    while (later.countedAt === undefined) await settled()
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
    for (let event = 0; event < 3; event++) {
      server.deliver(1)
      await settled()
      // A request that fits would be refused for an object that is known to be gone.
      expect([total(count), kind.versionOf()]).toEqual(['2', '13'])
    }
    server.muted = false
    expect(kind.objects.lastSight('n', 'b', 'uid-2')?.isGone).toBe(true)
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
    const openFirstPage = holdLists(server)
    const listed = kind.list()
    await settled()
    openFirstPage()
    const open = holdLists(server)
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
    const open = holdLists(server)
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
    const open = holdLists(server)
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
    const open = holdLists(server)
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

  test('leaves nobody waiting for a list that failed, when others want it again meanwhile', async () => {
    const { server, clock, kind, add } = setUp()
    const count = add()
    kind.start()
    while (count.countedAt === undefined) await settled()
    server.put(at('n', 'a', 2))
    server.failNext('list', UNREACHABLE)
    const open = holdLists(server)
    let listed = 0
    const wanted = (): void => void kind.list('n').then(() => listed++)
    wanted()
    // It has begun.
    for (const before = server.calls.length; server.calls.length === before;) await Promise.resolve()
    wanted()
    open()
    await clock.advance(60_000)
    expect(listed).toBe(2)
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
})
