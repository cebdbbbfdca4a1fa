import { expect, test } from 'vitest'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { failure, forbidden, unauthorized } from '../../machinery/status.ts'
import { Viewers } from './viewers.ts'

/** An API server that knows some tokens, and a clock that stands still. Each token is a user of its own unless `userOf` says another. */
function world(known: readonly string[], userOf = (token: string): string => token) {
  const state = {
    now: 0,
    known: new Set(known),
    asked: [] as string[],
    error: undefined as Error | undefined,
    isOld: false,
  }
  const held: (() => void)[] = []
  let isHolding = false
  const reviewerOf = (token: string): KubeClient =>
    ({
      request: async (_: string, path: string) => {
        if (state.isOld && path.endsWith('/selfsubjectreviews')) throw failure(404, 'NotFound', 'no such path')
        state.asked.push(token)
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve))
        if (state.error !== undefined) throw state.error
        if (!state.known.has(token)) throw unauthorized()
        return { status: { userInfo: { username: userOf(token) } } }
      },
    }) as Pick<KubeClient, 'request'> as KubeClient
  const viewers = new Viewers({
    clientOf: reviewerOf,
    reviewerOf,
    context: { monotonic: () => state.now, sleep: async () => undefined },
  })
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
  for (let one = 0; one < 100; one++) codes.push(await codeOf(of(`bad-${one}`)))
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

/** Resolves with the code of the refusal; 200 where there is none. */
const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 200,
    (error: unknown) => (error as ReturnType<typeof unauthorized>).status.code,
  )

test('idle viewers make room for others, and those that are new or busy stay [security/dashboard]', async () => {
  const { of, state } = world(Array.from({ length: 400 }, (_, at) => `t${at}`))
  const [busy, idle] = [await of('t0'), await of('t1')]
  using _stream = busy.beginStream(() => undefined)
  // All addresses together may try a hundred tokens a second.
  for (let at = 2; at < 256; at++) {
    state.now += 20
    await of(`t${at}`, `10.1.${at}.1`)
  }
  const { length } = state.asked
  expect(await codeOf(of('t300', '10.3.0.1'))).toBe(429)
  state.now = 60_000
  for (let at = 2; at < 256; at++) await of(`t${at}`)
  expect(await codeOf(of('t301', '10.3.0.2'))).toBe(200)
  expect(await codeOf(of('t302', '10.3.0.3'))).toBe(429)
  expect(await of('t0')).toBe(busy)
  expect(await codeOf(of('t1', '10.3.0.4'))).toBe(429)
  expect(busy).not.toBe(idle)
  expect(length).toBe(256)
})

/** Asks with ServiceAccounts, each `namespace:name`, one after the other, and gives those that are answered. */
function serviceAccounts(names: readonly string[]) {
  const { of, state } = world(['user', ...names], (token) =>
    token === 'user' ? token : `system:serviceaccount:${token}`,
  )
  let asked = 0
  const ask = async (...tokens: readonly string[]): Promise<string[]> => {
    const answered: string[] = []
    for (const token of tokens) {
      state.now += 20
      if ((await codeOf(of(token, `10.1.${asked++ % 256}.1`))) === 200) answered.push(token)
    }
    return answered
  }
  return { state, of, ask }
}

test('a tenant with many namespaces keeps no ServiceAccount out, however often it asks [security/dashboard]', async () => {
  const tenant = Array.from({ length: 200 }, (_, at) => (at < 192 ? `n${at % 64}:${Math.floor(at / 64)}` : `n${at}:0`))
  const { of, ask } = serviceAccounts([...tenant, 'quiet:0', 'quiet:1', 'quiet:2'])
  const user = await of('user')
  const held = await ask(...tenant)
  expect(held.length).toBeGreaterThanOrEqual(192)
  for (let round = 0; round < 3; round++) await ask(...held)
  expect(await ask('quiet:0')).toEqual(['quiet:0'])
  const quiet = await of('quiet:0')
  // Those that lose places get them back of their like, and of no account with fewer.
  for (let round = 0; round < 3; round++) await ask(...tenant)
  expect(await of('quiet:0')).toBe(quiet)
  expect(await of('user')).toBe(user)
})

test('where each ServiceAccount has one token, the one that is known longest gives way after a minute [security/dashboard]', async () => {
  const tenant = Array.from({ length: 192 }, (_, at) => `n${at}:0`)
  const { state, of, ask } = serviceAccounts([...tenant, 'quiet:0'])
  expect(await ask(...tenant)).toEqual(tenant)
  const [first, second] = [await of('n0:0'), await of('n1:0')]
  expect(await ask('quiet:0')).toEqual([])
  state.now = 50_000
  await ask(...tenant)
  state.now = 60_030
  expect(await ask('quiet:0')).toEqual(['quiet:0'])
  // It is signed in anew with its next request.
  expect([(await of('n1:0')) === second, await ask('n0:0'), (await of('n0:0')) === first]).toEqual([
    true,
    ['n0:0'],
    false,
  ])
})

test('who signs in with many tokens pushes nobody out but itself [security/dashboard]', async () => {
  const minted = Array.from({ length: 300 }, (_, at) => `m${at}`)
  const { of, state } = world(['victim', ...minted], (token) =>
    token === 'victim' ? 'jane' : `system:serviceaccount:shop:${token}`,
  )
  const victim = await of('victim')
  const codes: unknown[] = []
  for (const [at, token] of minted.entries()) {
    state.now += 100
    codes.push(await codeOf(of(token, `10.1.${at}.1`)))
  }
  expect(codes.filter((code) => code === 200)).toHaveLength(8)
  state.now += 3_600_000
  for (const [at, token] of minted.entries()) {
    state.now += 60_000
    expect(await codeOf(of(token, `10.2.${at}.1`))).toBe(200)
  }
  expect(await of('victim')).toBe(victim)
})

test('all tokens of a user, and of a namespace, share bounds [security/dashboard]', async () => {
  const { of } = world(['a', 'b', 'other'], (token) =>
    token === 'other' ? 'system:serviceaccount:elsewhere:x' : `system:serviceaccount:shop:${token}`,
  )
  const [a, b, other] = [await of('a'), await of('b'), await of('other')]
  expect([a.account === b.account, a.ownNamespace, a.key === b.key]).toEqual([true, 'shop', false])
  const running = Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? a : b).begin())
  expect(() => a.begin()).toThrow('too much is asked')
  for (const one of running) one[Symbol.dispose]()
  for (let at = 0; at < 60; at++) (at % 2 === 0 ? a : b).account.ask()
  expect(() => b.account.ask()).toThrow('too much is asked')
  const streams = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? a : b).beginStream(() => undefined))
  expect(() => a.beginStream(() => undefined)).toThrow('too many open streams')
  other.account.ask()
  other.begin()[Symbol.dispose]()
  other.beginStream(() => undefined)[Symbol.dispose]()
  for (const one of streams) one[Symbol.dispose]()
  // To open and to close streams is bounded as well.
  for (let at = 0; at < 3; at++) a.beginStream(() => undefined)[Symbol.dispose]()
  expect(() => a.beginStream(() => undefined)).toThrow('streams are opened')
})

test('where the API server has no such review, the token says whose it is, once it is accepted [security/dashboard]', async () => {
  const claims = Buffer.from(JSON.stringify({ iss: 'i', sub: 'system:serviceaccount:shop:a' })).toString('base64url')
  const minted = [1, 2].map((at) => `h.${claims}.${at}`)
  const { of, state } = world(minted)
  state.isOld = true
  const [one, other] = [await of(minted[0] ?? ''), await of(minted[1] ?? '')]
  expect([one.account === other.account, one.ownNamespace]).toEqual([true, 'shop'])
  expect(await codeOf(of(`h.${claims}.forged`))).toBe(401)
})

test('of viewers that are gone nothing is kept [security/dashboard]', async () => {
  const { of, state, viewers } = world(Array.from({ length: 2000 }, (_, at) => `t${at}`))
  for (let at = 0; at < 2000; at++) {
    state.now += 1000
    const viewer = await of(`t${at}`, `10.1.${at}.1`)
    if (at % 2 === 0) viewers.forget(viewer)
    viewers.forget(viewer)
  }
  expect(viewers.size).toBeLessThan(100)
})

test('a viewer that comes back with the same token is not forgotten with the former one', async () => {
  const { of, viewers } = world(['good'])
  const former = await of('good')
  viewers.forget(former)
  const next = await of('good')
  viewers.forget(former)
  expect(await of('good')).toBe(next)
})
