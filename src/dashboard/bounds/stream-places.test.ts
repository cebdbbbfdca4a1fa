import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Holder, Shares } from './shares.ts'
import { StreamPlaces } from './stream-places.ts'

const BOUNDS = { all: 20, each: 6, minted: 15 }

/** Places whose clock goes on by hand, with the streams that are open. */
function world() {
  const clock = { now: 0, monotonic: () => clock.now }
  const shares = new Shares(BOUNDS)
  const places = new StreamPlaces(shares, clock)
  const open = new Map<string, Disposable[]>()
  const of = (name: string): Holder => ({ name, isMinted: !name.startsWith('user') })
  const streamsOf = (name: string): Disposable[] => open.get(name) ?? []
  const take = (name: string): boolean => {
    const taken = places.take(of(name), () => {
      open.set(
        name,
        streamsOf(name).filter((one) => one !== taken),
      )
      // The stream ends afterwards, which gives nothing back a second time.
      if (typeof taken !== 'string') taken[Symbol.dispose]()
    })
    if (typeof taken === 'string') return false
    open.set(name, [...streamsOf(name), taken])
    return true
  }
  const close = (name: string): void => {
    const [first, ...others] = streamsOf(name)
    first?.[Symbol.dispose]()
    open.set(name, others)
  }
  return { clock, shares, open, take, close, held: (name: string) => streamsOf(name).length }
}

test('whoever opens and closes streams, the bounds hold, and a user who has none gets one [security/dashboard]', () => {
  const names = fc.oneof(
    fc.nat(30).map((at) => `namespace ${at}`),
    fc.nat(3).map((at) => `user ${at}`),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.boolean()), { maxLength: 200 }), (steps) => {
      const { clock, shares, open, take, close, held } = world()
      for (const [name, isClosed] of steps) {
        clock.now += 1000
        const before = held(name)
        if (isClosed) close(name)
        else if (!take(name)) expect([before > 0, name.startsWith('user')]).not.toEqual([false, true])
        const counts = [...open].map(([one, streams]) => [one, streams.length] as const)
        const sumOf = (all: typeof counts): number => all.reduce((sum, [, count]) => sum + count, 0)
        expect(shares.total).toBe(sumOf(counts))
        expect(shares.total).toBeLessThanOrEqual(BOUNDS.all)
        expect(sumOf(counts.filter(([one]) => !one.startsWith('user')))).toBeLessThanOrEqual(BOUNDS.minted)
        expect(Math.max(0, ...counts.map(([, count]) => count))).toBeLessThanOrEqual(BOUNDS.each)
      }
    }),
  )
})

test('a tenant with any number of namespaces keeps nobody out, and ends the stream of nobody who has one [security/dashboard]', () => {
  const { clock, take, held } = world()
  const tenant = Array.from({ length: 8 }, (_, at) => `namespace ${at}`)
  const takeAll = (): void => {
    for (const name of tenant) while (take(name));
  }
  takeAll()
  expect(take('quiet')).toBe(true)
  for (let round = 0; round < 10; round++) takeAll()
  expect([held('quiet'), take('user'), held('user')]).toEqual([1, true, 1])
  clock.now += 3_600_000
  for (let round = 0; round < 10; round++) takeAll()
  expect([held('quiet'), held('user')]).toEqual([1, 1])
})

test('where each account has a single stream, one that comes anew gets in after a minute, and a user at once [security/dashboard]', () => {
  const { clock, take, held } = world()
  for (let at = 0; at < 15; at++) {
    clock.now += 1
    expect(take(`namespace ${at}`)).toBe(true)
  }
  expect(take('quiet')).toBe(false)
  clock.now += 60_000
  expect([take('quiet'), held('namespace 0'), take('namespace 0')]).toEqual([true, 0, true])
  for (let at = 0; at < 5; at++) expect(take(`user ${at}`)).toBe(true)
  expect([take('user 5'), held('namespace 2')]).toEqual([true, 0])
})

test('a stream that is tried again seldom has its turns, however often the accounts of a tenant try [security/dashboard]', () => {
  for (const [accounts, least] of [
    [16, 60],
    [24, 40],
    [40, 25],
  ] as const) {
    const { clock, take, held } = world()
    const tenant = Array.from({ length: accounts }, (_, at) => `namespace ${at}`)
    let seconds = 0
    for (let second = 0; second < 3600; second++) {
      clock.now = second * 1000
      for (const name of tenant) if (held(name) === 0) take(name)
      if (second % 5 === 4 && held('quiet') === 0) take('quiet')
      seconds += held('quiet')
    }
    expect((100 * seconds) / 3600).toBeGreaterThan(least)
  }
})
