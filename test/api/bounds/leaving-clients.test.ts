import { connect, constants } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../../src/runtime/certificate/certificates.ts'
import { holdCommits } from '../quota/held-commits.ts'
import { hookedServer } from '../admission/hooked-server.ts'
import { EVERYTHING, type HookedWrite, hookedWrites, slowAnswer, WRITES } from '../admission/hooked-writes.ts'

/** A client that leaves takes its request with it, as in Kubernetes, which cancels the context of the request. */
const authority = await makeAuthority(Date.now())
const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())

/** Resolves when the server has seen that the clients are gone. */
type Leave = () => Promise<void>

describe('a client that leaves [security/left-writes]', () => {
  const hooked = hookedServer({ tls: { key, cert: certificate } })
  const writes = hookedWrites(hooked)

  /** How many requests have ended whose client had left. */
  async function left(): Promise<number> {
    const { body } = await hooked.server.send('GET', '/metrics')
    const counts = String(body).matchAll(/^apiserver_request_total\{.*code="499".*\} (\d+)$/gm)
    return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
  }

  const headersOf = (headers: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    authorization: `Bearer ${hooked.server.token}`,
    'content-type': 'application/json',
    ...headers,
  })

  /** Sends requests, and gives what makes their clients leave. */
  const WAYS: readonly (readonly [what: string, send: (requests: readonly HookedWrite[]) => Leave])[] = [
    [
      'closes its connection',
      (requests) => {
        const leaving = new AbortController()
        for (const [method, path, body, headers] of requests) {
          const sent = fetch(`${hooked.server.url}${writes.at(path)}`, {
            method,
            headers: headersOf(headers),
            body: body === undefined ? null : JSON.stringify(body),
            signal: leaving.signal,
          })
          sent.catch(() => undefined)
        }
        return async () => {
          leaving.abort()
          // The end of a connection is read before a request that is sent later.
          for (let n = 0; n < 2; n++) await hooked.server.send('GET', '/version')
        }
      },
    ],
    [
      'resets its stream',
      (requests) => {
        const session = connect(hooked.server.secureUrl ?? '', { ca: authority.certificate })
        const streams = requests.map(([method, path, body, headers]) => {
          const stream = session.request({ ':method': method, ':path': writes.at(path), ...headersOf(headers) })
          stream.on('error', () => undefined)
          stream.end(body === undefined ? undefined : JSON.stringify(body))
          return stream
        })
        return async () => {
          for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
          await new Promise((resolve) => session.ping(resolve))
          session.close()
        }
      },
    ],
  ]

  test.each(
    WAYS.flatMap(([what, send]) =>
      (['validating', 'mutating'] as const).flatMap((kind) =>
        (['Fail', 'Ignore'] as const).map((failurePolicy) => ({ what, send, kind, failurePolicy })),
      ),
    ),
  )(
    'and $what while a $kind webhook of the policy $failurePolicy is asked stores nothing, whatever it wrote',
    async ({ send, kind, failurePolicy }) => {
      await writes.make()
      const before = await writes.stored()
      const gone = await left()
      await hooked.register(kind, { rules: EVERYTHING, failurePolicy, timeoutSeconds: 20 })
      const { answer, release } = slowAnswer()
      let asked = 0
      hooked.answer = (review) => {
        asked++
        return answer(review)
      }
      const leave = send(WRITES)
      await expect.poll(() => asked).toBeGreaterThanOrEqual(WRITES.length)
      await leave()
      // The webhook has not answered: the requests end all the same.
      await expect.poll(left).toBe(gone + WRITES.length)
      release({ allowed: true })
      expect((await hooked.create('later')).status).toBe(201)
      await hooked.server.send('DELETE', `${hooked.maps()}/later`)
      expect(await writes.stored()).toEqual(before)
    },
  )

  test.each(WAYS)(
    'and %s behind the commit of others stores nothing, and takes nothing of the quota',
    async (_, send) => {
      const { server, ns } = hooked
      const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '9' } } }
      expect((await server.send('POST', `/api/v1/namespaces/${ns}/resourcequotas`, quota)).status).toBe(201)
      await hooked.register('validating')
      hooked.answer = () => ({ allowed: true })
      const gone = await left()
      {
        using held = holdCommits(server.store)
        const inside = hooked.create('inside')
        await held.begun
        const leave = send([['POST', 'api/v1/configmaps', { metadata: { name: 'behind' } }]])
        // A request that the webhook has allowed waits for the commit in flight.
        await expect.poll(() => hooked.seen.map(({ request: { name } }) => name)).toEqual(['inside', 'behind'])
        await hooked.server.send('GET', '/version')
        await leave()
        held.release()
        expect((await inside).status).toBe(201)
      }
      await expect.poll(left).toBe(gone + 1)
      expect((await server.send('GET', `${hooked.maps()}/behind`)).status).toBe(404)
      const { body } = await server.send('GET', `/api/v1/namespaces/${ns}/resourcequotas/q`)
      const maps = await server.send('GET', hooked.maps())
      expect(body.status.used).toEqual({ 'count/configmaps': String(maps.body.items.length) })
    },
  )
})
