// Covers kind.ts: its watch.
import { describe, expect, test } from 'vitest'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { at, setUp, total } from '../../../../test/operator/counting/counted-things.ts'
import { forbidden } from '../../../machinery/status.ts'

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

  test('has nobody wait for it who has gone, and is up to nothing before it has begun', async () => {
    const { server, kind, add } = setUp()
    add()
    let isBegun = false
    const begun = kind.whenReached('', undefined, new AbortController().signal).then(() => (isBegun = true))
    await settled()
    expect(isBegun).toBe(false)
    kind.start()
    await begun
    const gone = new Error('gone')
    await expect(kind.whenReached('99', undefined, AbortSignal.abort(gone))).rejects.toBe(gone)
    const waiting = new AbortController()
    const waited = kind.whenReached(String(Number(server.revision) + 1), 'n', waiting.signal)
    waiting.abort(gone)
    await expect(waited).rejects.toBe(gone)
  })
})
