import { expect, test } from 'vitest'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { failure, forbidden, unauthorized } from '../../machinery/status.ts'
import { Viewers } from './viewers.ts'

/** An API server that knows some tokens, and a clock that stands still. */
function world(known: readonly string[]) {
  const state = { now: 0, known: new Set(known), asked: [] as string[], error: undefined as Error | undefined }
  const held: (() => void)[] = []
  let isHolding = false
  const clientOf = (token: string): KubeClient =>
    ({
      request: async () => {
        state.asked.push(token)
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve))
        if (state.error !== undefined) throw state.error
        if (!state.known.has(token)) throw unauthorized()
        return { status: { allowed: false } }
      },
    }) as Pick<KubeClient, 'request'> as KubeClient
  const viewers = new Viewers({ clientOf, context: { monotonic: () => state.now, sleep: async () => undefined } })
  const of = (token: string, address = '10.0.0.1') => viewers.of(token, address)
  const hold = (): void => void (isHolding = true)
  const release = (): void => {
    isHolding = false
    for (const go of held.splice(0)) go()
  }
  return { state, viewers, of, hold, release }
}

test('a token is tried once, and again when ten seconds have passed', async () => {
  const { state, of } = world(['good'])
  const first = await of('good')
  expect([await of('good'), state.asked]).toEqual([first, ['good']])
  state.now = 10_000
  const again = await Promise.all([of('good'), of('good')])
  expect([again, state.asked]).toEqual([
    [first, first],
    ['good', 'good'],
  ])
})

test('a token that the API server no longer knows is nobody any more', async () => {
  const { state, of } = world(['good'])
  const first = await of('good')
  state.known.delete('good')
  state.now = 10_000
  await expect(of('good')).rejects.toMatchObject({ status: { code: 401 } })
  state.known.add('good')
  expect(await of('good')).not.toBe(first)
})

test('who may not even ask for the own rights is known all the same', async () => {
  const { state, of } = world(['good'])
  state.error = forbidden({ group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' }, '', 'no')
  expect(await of('good')).toBeDefined()
})

test('an API server that cannot answer makes nobody known', async () => {
  const { state, of } = world(['good'])
  state.error = failure(500, 'InternalError', 'no')
  await expect(of('good')).rejects.toThrow('no')
  state.error = undefined
  await of('good')
  expect(state.asked).toHaveLength(2)
})

test('unknown tokens are bounded for each address, and keep out nobody who is known [security/dashboard]', async () => {
  const { state, of } = world(['good', 'friend'])
  const friend = await of('friend')
  const codes: unknown[] = []
  for (let one = 0; one < 100; one++)
    codes.push(
      await of(`bad-${one}`).then(
        () => 200,
        (error: unknown) => (error as ReturnType<typeof unauthorized>).status.code,
      ),
    )
  expect(codes.filter((code) => code === 401)).toHaveLength(39)
  expect(codes.filter((code) => code === 429)).toHaveLength(61)
  expect(state.asked).toHaveLength(40)
  expect(await of('friend')).toBe(friend)
  expect(await of('good', '10.0.0.2')).toBeDefined()
})

test('unknown tokens are bounded for all addresses together [security/dashboard]', async () => {
  const { of, hold, release, state } = world(['friend'])
  const friend = await of('friend')
  hold()
  const tried = Array.from({ length: 40 }, (_, at) => of(`bad-${at}`, `10.0.1.${at}`))
  const settled = Promise.allSettled(tried)
  expect(state.asked).toHaveLength(33)
  expect(await of('friend')).toBe(friend)
  release()
  const codes = (await settled).map((one) => (one.status === 'rejected' ? one.reason.status.code : 200))
  expect([codes.filter((code) => code === 401).length, codes.filter((code) => code === 429).length]).toEqual([32, 8])
})

test('idle viewers make room for others, and those that are not idle stay [security/dashboard]', async () => {
  const tokens = Array.from({ length: 300 }, (_, at) => `t${at}`)
  const { of, state } = world(tokens)
  const busy = await of('t0')
  const counted = busy.beginStream()
  for (const [at, token] of tokens.entries()) await of(token, `10.1.${at}.1`)
  expect(await of('t0')).toBe(busy)
  expect(state.asked).toHaveLength(300)
  await of('t1', '10.2.0.1')
  expect(state.asked).toHaveLength(301)
  counted[Symbol.dispose]()
})

test('one viewer has bounds of its own for requests and streams [security/dashboard]', async () => {
  const { of } = world(['good', 'other'])
  const [viewer, other] = [await of('good'), await of('other')]
  const running = Array.from({ length: 8 }, () => viewer.begin())
  expect(() => viewer.begin()).toThrow('asks too much')
  for (const one of running) one[Symbol.dispose]()
  expect(() => {
    for (let at = 0; at < 100; at++) viewer.begin()[Symbol.dispose]()
  }).toThrow('asks too much')
  other.begin()[Symbol.dispose]()
  const streams = Array.from({ length: 12 }, () => viewer.beginStream())
  expect(() => viewer.beginStream()).toThrow('too many open streams')
  streams[0]?.[Symbol.dispose]()
  viewer.beginStream()
})
