import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import { ServerUnreachable } from '../../kube/transport/server-unreachable.ts'
import { failure, forbidden, unauthorized } from '../../machinery/status.ts'
import { WatchRight } from './watch-right.ts'

/** Does not answer before the signal aborts. */
const silent = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

/** A right that was confirmed at the beginning; `later` answers from then on. */
async function confirmed(later: (signal: AbortSignal) => Promise<boolean>) {
  const clock = new ManualClock()
  const state = { asked: 0, ended: undefined as unknown }
  const right = new WatchRight((signal) => (state.asked++ === 0 ? Promise.resolve(true) : later(signal)), clock)
  expect([right.isFresh, await right.confirm(NEVER_ABORTED), right.isFresh]).toEqual([false, true, true])
  const leaving = new AbortController()
  void right.lost(leaving.signal).then(
    (why) => (state.ended = why),
    (error: unknown) => (state.ended = error),
  )
  return { clock, state, right, leaving }
}

test.each([
  ['does not answer', silent],
  ['cannot be reached', () => Promise.reject(new ServerUnreachable('refused', 'refused'))],
  ['has too much to do', () => Promise.reject(failure(429, 'TooManyRequests', 'later'))],
  ['fails', () => Promise.reject(new TypeError('broken'))],
])('a right is believed for ten seconds at most while the API server %s [security/dashboard]', async (_, later) => {
  const { clock, state, right } = await confirmed(later)
  await clock.advance(9_999)
  expect([right.isFresh, state.ended]).toEqual([true, undefined])
  await clock.advance(1)
  expect([right.isFresh, state.ended]).toEqual([false, 'unreachable'])
  expect(clock.sleepers).toBe(0)
})

test('a right that is confirmed again and again stays, and one that is refused ends within five seconds', async () => {
  let isAllowed = true
  const { clock, state, right } = await confirmed(async () => isAllowed)
  await clock.advance(600_000)
  expect([right.isFresh, state.ended, state.asked]).toEqual([true, undefined, 121])
  isAllowed = false
  await clock.advance(5_000)
  expect(state.ended).toBe('refused')
})

test('an answer counts from when it was asked for', async () => {
  const held: ((isAllowed: boolean) => void)[] = []
  const { clock, right } = await confirmed(() => new Promise((resolve) => held.push(resolve)))
  await clock.advance(9_000)
  held[0]?.(true)
  await clock.advance(5_999)
  expect(right.isFresh).toBe(true)
  await clock.advance(1)
  expect(right.isFresh).toBe(false)
})

test('who may not ask for the own rights may not watch, and an unknown token is told apart', async () => {
  const reviews = { group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' }
  const refused = await confirmed(() => Promise.reject(forbidden(reviews, '', 'no')))
  const unknown = await confirmed(() => Promise.reject(unauthorized()))
  for (const { clock } of [refused, unknown]) await clock.advance(5_000)
  expect([refused.state.ended, unknown.state.ended]).toEqual(['refused', unauthorized()])
})

test('nothing waits any more when the watch has ended [security/dashboard]', async () => {
  const { clock, state, leaving } = await confirmed(silent)
  await clock.advance(6_000)
  leaving.abort(new Error('over'))
  await clock.advance(0)
  expect([state.ended, clock.sleepers]).toEqual([new Error('over'), 0])
})
