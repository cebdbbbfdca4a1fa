import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { RequestDeadlines } from '../../../src/runtime/time/request-deadlines.ts'
import { holdCommits } from '../quota/held-commits.ts'
import { hookedServer } from '../admission/hooked-server.ts'
import { EVERYTHING, hookedWrites, slowAnswer, WRITES } from '../admission/hooked-writes.ts'

/** The time of a request, of which `?timeout=` asks for less, ends whatever it waits for, and nothing is stored afterwards. */
const TOO_LATE = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  reason: 'Timeout',
  details: {},
  code: 504,
}
describe('the time of a request [security/late-writes]', () => {
  const hooked = hookedServer()
  const { register, urls } = hooked
  const writes = hookedWrites(hooked)

  test.each([
    ['validating', 'Fail'],
    ['validating', 'Ignore'],
    ['mutating', 'Fail'],
    ['mutating', 'Ignore'],
  ] as const)(
    'is over for every write while a %s webhook of the policy %s is asked, and nothing is stored when it allows that later',
    async (kind, failurePolicy) => {
      await writes.make()
      const before = await writes.stored()
      await register(kind, { rules: EVERYTHING, failurePolicy, timeoutSeconds: 20 })
      const { answer, release } = slowAnswer()
      hooked.answer = answer
      const answers = await Promise.all(
        WRITES.map(async ([method, path, body, headers]) => {
          const full = `${writes.at(path)}${path.includes('?') ? '&' : '?'}timeout=300ms`
          return { request: `${method} ${path}`, answer: (await hooked.server.send(method, full, body, headers)).body }
        }),
      )
      expect(answers).toEqual(WRITES.map(([method, path]) => ({ request: `${method} ${path}`, answer: TOO_LATE })))
      release({ allowed: true })
      expect(new Set(urls)).toEqual(new Set(['/review?timeout=1s']))
      expect(await writes.stored()).toEqual(before)
    },
  )

  test('is passed to webhooks where it is less than theirs, in whole seconds', async () => {
    await register('validating', { timeoutSeconds: 5 })
    hooked.answer = () => ({ allowed: true })
    for (const timeout of ['', '?timeout=3500ms', '?timeout=2s', '?timeout=10s', '?timeout=0s'])
      expect((await hooked.create(`timed${urls.length}`, {}, timeout)).status).toBe(201)
    expect(urls).toEqual([5, 4, 2, 5, 5].map((seconds) => `/review?timeout=${seconds}s`))
  })

  test('is not over when only the server stood still', async () => {
    await register('validating')
    hooked.answer = () => {
      const end = performance.now() + 1800
      while (performance.now() < end);
      return { allowed: true }
    }
    expect((await hooked.create('stalled', {}, '?timeout=1500ms')).status).toBe(201)
  })

  test('is over for a request that waits for the commit of others, which then stores nothing, while one in that commit gets its result', async () => {
    const { server, ns } = hooked
    const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '9' } } }
    expect((await server.send('POST', `/api/v1/namespaces/${ns}/resourcequotas`, quota)).status).toBe(201)
    {
      using held = holdCommits(server.store)
      const inside = hooked.create('inside', {}, '?timeout=1s')
      await held.begun
      const { body } = await hooked.create('behind', {}, '?timeout=1500ms')
      expect(body).toEqual(TOO_LATE)
      held.release()
      expect((await inside).status).toBe(201)
    }
    // Requests that waited in the same queue have been answered by now.
    expect((await hooked.create('later')).status).toBe(201)
    expect((await server.send('GET', `${hooked.maps()}/behind`)).status).toBe(404)
    const { body } = await server.send('GET', `/api/v1/namespaces/${ns}/resourcequotas/q`)
    const maps = await server.send('GET', hooked.maps())
    expect(body.status.used).toEqual({ 'count/configmaps': String(maps.body.items.length) })
  })

  test('is over for a body that does not come', async () => {
    const { server } = hooked
    const code = await new Promise((resolve, reject) => {
      const posting = request(`${server.url}${hooked.maps()}?timeout=300ms`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.token}`,
          'content-length': '1000',
          'content-type': 'application/json',
        },
      })
      posting.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      posting.on('error', reject)
      posting.write('{"metadata":')
    })
    expect(code).toBe(504)
  })

  test('that is not a duration is refused, but not for a watch', async () => {
    const { server } = hooked
    const { body } = await server.send('GET', `${hooked.maps()}?timeout=abc`)
    expect(body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
    })
    expect((await server.send('GET', '/healthz?timeout=5')).status).toBe(400)
    const watch = await server.send('GET', `${hooked.maps()}?watch=true&timeoutSeconds=1&timeout=abc`)
    expect(watch.status).toBe(200)
  })
})

/** How often it is looked whose time is over. */
const LOOK_MS = 100

describe('a request that asks for no other time', () => {
  let now = 0
  let look = (): void => undefined
  const timer = {
    monotonic: () => now,
    after: (ms: number, over: () => void) => {
      look = () => {
        now += ms
        over()
      }
      return () => undefined
    },
  }
  const run = (ms: number): void => {
    for (let ran = 0; ran < ms; ran += LOOK_MS) look()
  }
  const hooked = hookedServer({ deadlines: new RequestDeadlines(timer) })

  test.each([
    ['POST', '', 34_000],
    ['DELETE', '', 60_000],
  ])('has as long as upstream gives it: %s', async (method, path, ms) => {
    await hooked.create('old')
    await hooked.register('validating', { timeoutSeconds: 30, failurePolicy: 'Ignore' })
    const asked = Promise.withResolvers<undefined>()
    hooked.answer = () => {
      asked.resolve(undefined)
      return 'hang'
    }
    let done = false
    const sent = hooked.server.send(
      method,
      `${hooked.maps()}${path}`,
      method === 'POST' ? { metadata: { name: 'a' } } : undefined,
    )
    const ended = sent.finally(() => (done = true))
    await asked.promise
    run(ms - 500)
    expect((await hooked.server.send('GET', '/version')).status).toBe(200)
    expect(done).toBe(false)
    run(1000)
    expect((await ended).body).toEqual(TOO_LATE)
  })
})
