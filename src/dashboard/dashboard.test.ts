import { afterEach, expect, test } from 'vitest'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { type SystemContext, systemContext } from '../kube/time/system-context.ts'
import { ServerUnreachable } from '../kube/transport/server-unreachable.ts'
import { failure } from '../machinery/status.ts'
import { createLogger } from '../runtime/process/logger.ts'
import { Dashboard } from './dashboard.ts'

const TOKEN = 'a-token-that-nobody-may-read'
const closing: Dashboard[] = []
afterEach(async () => {
  for (const one of closing.splice(0)) await one.stop()
})

/** A dashboard whose API server answers each request to it so. */
async function dashboardOf(answer: (path: string) => unknown, context: SystemContext = systemContext) {
  const lines: string[] = []
  const list = async () => {
    await answer('/api/v1/resourcequotas')
    return { items: [], resourceVersion: '1' }
  }
  const client = {
    request: async (_: string, path: string) => await answer(path),
    list,
    listPages: async function* () {
      yield await list()
    },
  } as unknown as KubeClient
  const dashboard = await Dashboard.listen({
    host: '127.0.0.1',
    port: 0,
    flags: { host: '--host', port: '--dashboard-port' },
    names: [],
    clientOf: () => client,
    reviewerOf: () => client,
    page: '/nowhere',
    warnAt: [95, 80],
    context,
    logger: createLogger('debug', { write: (line) => void lines.push(line) }),
  })
  closing.push(dashboard)
  const ask = async (path: string, more: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`http://127.0.0.1:${dashboard.port}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...more },
    })
    return { code: response.status, headers: response.headers, text: await response.text() }
  }
  return { ask, lines }
}

/** What the API server says about a token, and about a right. */
const REVIEWED = { status: { userInfo: { username: 'jane' }, allowed: true } }
const isReview = (path: string): boolean => path.includes('selfsubject')

test.each([
  ['the API server is away', new ServerUnreachable('refused', 'https://10.9.8.7 refused'), 503, /cannot be asked now/],
  [
    'the API server has too much to do',
    failure(429, 'TooManyRequests', 'later', { retryAfterSeconds: 7 }),
    429,
    /later/,
  ],
  ['the program is wrong', new TypeError(`cannot read ${TOKEN} of 10.9.8.7`), 500, /failed to answer/],
])('where %s a viewer learns no more than that [security/dashboard]', async (_, error, code, said) => {
  const { ask } = await dashboardOf((path) => {
    if (isReview(path)) return REVIEWED
    throw error
  })
  const answer = await ask('/api/v1/quotas')
  expect([answer.code, answer.text]).toEqual([code, expect.stringMatching(said)])
  expect(answer.text).not.toMatch(/10\.9\.8\.7|nobody-may-read|at .*\.ts/)
  expect(answer.headers.get('retry-after')).toBe(code === 500 ? null : code === 429 ? '7' : '1')
  expect(answer.headers.get('cache-control')).toContain('no-store')
})

test('where the page is not built, it says how to build it', async () => {
  const { ask } = await dashboardOf(() => ({}))
  const { code, text, headers } = await ask('/')
  expect([code, text]).toEqual([404, 'the page is not built here: run make page in the clone\n'])
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
})

test('says at which percentages usage is warned of, the lowest first', async () => {
  const { ask } = await dashboardOf((path) => (isReview(path) ? { status: { allowed: true } } : {}))
  expect(JSON.parse((await ask('/api/v1/settings')).text)).toEqual({ format: 1, warnAt: [80, 95], seesAll: true })
})

test('no log has a token, whatever happens [security/dashboard]', async () => {
  const { ask, lines } = await dashboardOf((path) => {
    if (isReview(path)) return REVIEWED
    throw new RangeError('something is wrong')
  })
  expect((await ask('/api/v1/quotas')).code).toBe(500)
  expect((await ask('/api/v1/events')).code).toBe(500)
  expect((await ask(`/api/v1/namespaces/${TOKEN}`)).code).toBe(500)
  expect(lines.join('')).toContain('something is wrong')
  expect(lines.join('')).not.toContain(TOKEN)
})

test('a token that ends between two answers gets 401, and is tried again with the next request', async () => {
  const state = { isKnown: true, reviews: 0 }
  const { ask } = await dashboardOf((path) => {
    if (isReview(path)) state.reviews++
    if (!state.isKnown) throw failure(401, 'Unauthorized', 'Unauthorized')
    if (isReview(path)) return REVIEWED
    return path === '/api/v1'
      ? { resources: [{ name: 'resourcequotas', kind: 'ResourceQuota', namespaced: true }] }
      : {}
  })
  expect((await ask('/api/v1/quotas')).code).toBe(200)
  state.isKnown = false
  expect((await ask('/api/v1/quotas')).code).toBe(401)
  state.isKnown = true
  expect((await ask('/api/v1/quotas')).code).toBe(200)
  expect(state.reviews).toBe(2)
})

/** A dashboard where no rest ends. */
const neverRested = () =>
  dashboardOf(
    (path) =>
      isReview(path)
        ? REVIEWED
        : path === '/api/v1'
          ? { resources: [{ name: 'resourcequotas', kind: 'ResourceQuota', namespaced: true }] }
          : {},
    { ...systemContext, sleep: () => new Promise<void>(() => undefined) },
  )

test('a view that is opened while what it shows rests is answered at once, and so are those who wait for the same', async () => {
  const { ask } = await neverRested()
  expect((await ask('/api/v1/quotas')).code).toBe(200)
  const waiting = ask('/api/v1/quotas')
  const opened = await ask('/api/v1/quotas', { 'allot-opens-view': 'true' })
  expect([opened.code, (await waiting).code]).toEqual([200, 200])
})

test('the settings with which a page signs in wait for no rest', async () => {
  const { ask } = await neverRested()
  for (let time = 0; time < 10; time++) expect((await ask('/api/v1/settings')).code).toBe(200)
})
