import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as secureConnect } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { accountWith } from '../operator/operator-account.ts'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { type DashboardAnswer, type OpenStream, ViewerClient } from './viewer-client.ts'

const UNKNOWN = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Unauthorized',
  reason: 'Unauthorized',
  code: 401,
}
const PATHS = [
  '/api/v1/',
  '/api/v1/quotas',
  '/api/v1/settings',
  '/api/v1/events',
  '/api/v1/namespaces/kube-system',
  '/nowhere',
  '/metrics',
]
/** The bytes of a token that no API server gives. */
const HUGE = 20_000

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: the dashboard`, () => {
    const suite = forSuite(share)
    const client = new ViewerClient(() => suite.server.dashboardUrl)
    afterAll(() => client[Symbol.asyncDispose]())
    const token = (): string => suite.server.token

    const isStrict = ({ headers }: Pick<DashboardAnswer, 'headers'>): void => {
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(String(headers['cache-control'])).toContain('no-store')
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['set-cookie']).toBeUndefined()
    }

    test('says nothing but 401 without a token that the API server knows [security/dashboard]', async () => {
      const credentials: readonly Readonly<Record<string, string>>[] = [
        {},
        { authorization: 'Bearer ' },
        { authorization: 'Bearer not-a-token' },
        { authorization: `Bearer ${'x'.repeat(HUGE)}` },
        { authorization: `Basic ${Buffer.from(`admin:${token()}`).toString('base64')}` },
        { authorization: token() },
        { authorization: `Bearer ${token()}, Bearer x` },
        { cookie: `token=${token()}; authorization=Bearer ${token()}` },
        { 'x-forwarded-user': 'admin', 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
        { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
      ]
      for (const headers of credentials)
        for (const path of PATHS) {
          const answer = await client.ask({ path: `${path}?access_token=${token()}`, headers })
          expect([answer.code, answer.json], `${path} ${JSON.stringify(headers).slice(0, 60)}`).toEqual([401, UNKNOWN])
          expect(answer.headers['www-authenticate']).toBe('Bearer')
          isStrict(answer)
        }
    })

    test('answers no page of another site, and no other host [security/dashboard]', async () => {
      const own = suite.server.dashboardUrl
      const ask = async (headers: Readonly<Record<string, string>>): Promise<number> => {
        const answer = await client.ask({ path: '/api/v1/quotas?namespace=default', token: token(), headers })
        isStrict(answer)
        return answer.code
      }
      expect(await ask({})).toBe(200)
      expect(await ask({ origin: own, 'sec-fetch-site': 'same-origin' })).toBe(200)
      const { port } = new URL(own)
      expect(await ask({ host: `localhost:${port}` })).toBe(200)
      const strange: readonly Readonly<Record<string, string>>[] = [
        { host: 'rebound.example' },
        { host: `rebound.example:${port}`, origin: `${new URL(own).protocol}//rebound.example:${port}` },
        { host: `127.0.0.1.rebound.example:${port}` },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: own.replace(/\d+$/, '1') },
        { origin: `${own}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]
      for (const headers of strange) expect(await ask(headers), JSON.stringify(headers)).toBe(403)
      const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
      const asked = await client.ask({ method: 'OPTIONS', path: '/api/v1/claims', headers: preflight })
      expect(asked.code).toBe(403)
      isStrict(asked)
    })

    test('leads nowhere but to its endpoints [security/dashboard]', async () => {
      const nowhere = [
        '/index.html',
        '/assets/',
        '/assets/../index.html',
        '/assets/%2e%2e/index.html',
        '/assets/page.js',
        '//api/v1/quotas',
        '/api/v1/quotas/',
        '/api/v1/quotas/..%2fsecrets',
        '/api/v1/../../apis',
        '/api/v1/%71uotas',
        '/api/v1/namespaces/',
        '/api/v1/namespaces/..',
        '/api/v1/namespaces/%2e%2e',
        '/api/v1/namespaces/default/secrets',
        '/api/v1/namespaces/default%2fsecrets',
        '/api/v1/namespaces/Default',
        `/api/v1/namespaces/${'a'.repeat(64)}`,
        '/api/v1/secrets',
        '/apis',
        '/__proto__',
        'constructor',
      ]
      for (const path of nowhere) {
        const answer = await client.ask({ path: path.startsWith('/') ? path : `/${path}`, token: token() })
        expect(answer.code, path).toBe(404)
        expect(answer.text).not.toContain(path.slice(1) || '//')
        isStrict(answer)
      }
      const refused: readonly (readonly [string, string, number])[] = [
        ['GET', '/api/v1/quotas?namespace=../default', 400],
        ['GET', '/api/v1/quotas?namespace=default%2fsecrets', 400],
        ['GET', '/api/v1/quotas?namespace=default&namespace=kube-system', 400],
        ['GET', '/api/v1/quotas?fieldSelector=x', 400],
        ['GET', '/api/v1/pools?namespace=..', 400],
        ['GET', '/api/v1/pools?fieldSelector=x', 400],
        ['GET', '/api/v1/events?namespace=..', 400],
        ['GET', '/api/v1/explain?namespace=default&kind=deployment', 400],
        ['GET', '/api/v1/explain?namespace=default&kind=namespace&name=default', 400],
        ['GET', '/api/v1/explain?namespace=default&kind=deployment&name=..', 400],
        ['GET', '/api/v1/explain?namespace=default&kind=deployment&name=..%2f..%2fsecrets%2fx', 400],
        ['GET', `/api/v1/explain?namespace=default&kind=${'d'.repeat(300)}&name=x`, 400],
        ['POST', '/api/v1/quotas', 405],
        ['DELETE', '/api/v1/namespaces/default', 405],
        ['PUT', '/api/v1/claims', 405],
        ['GET', '/api/v1/claims', 405],
        ['POST', '/api/v1/events', 405],
      ]
      for (const [method, path, code] of refused)
        expect((await client.ask({ method, path, token: token() })).code, `${method} ${path}`).toBe(code)
      const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
        client.ask({ method: 'POST', path: '/api/v1/claims', token: token(), body, headers })
      expect((await post('{}', { 'content-type': 'text/plain' })).code).toBe(415)
      expect((await post('{')).code).toBe(400)
      expect((await post(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`)).code).toBe(400)
      expect((await post(`"${'x'.repeat(70_000)}"`)).code).toBe(413)
    })

    test('passes no other identity on than the token [security/dashboard]', async () => {
      const { token: poor } = await accountWith(suite.server, [])
      const path = '/api/v1/quotas?namespace=kube-system'
      const own = await client.ask({ path, token: poor })
      const headers = { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters', 'x-remote-user': 'admin' }
      const raised = await client.ask({ path, token: poor, headers })
      expect([raised.code, raised.text]).toEqual([own.code, own.text])
      expect(own.json.rows).toEqual([])
      expect(own.json.notSeen.length).toBeGreaterThan(0)
    })

    test('bounds the streams of one token, and lets them go with their pages [security/dashboard]', async () => {
      const { token: poor } = await accountWith(suite.server, [])
      const open: OpenStream[] = []
      let refused = ''
      while (refused === '' && open.length < 50) {
        const opened = await client.open(poor).catch((error: unknown) => String(error))
        if (typeof opened === 'string') refused = opened
        else open.push(opened)
      }
      expect([open.length, refused]).toEqual([12, expect.stringContaining('429')])
      for (const one of open) one.close()
      await Promise.all(open.map(({ ended }) => ended))
      await expect.poll(() => client.open(poor).then((one) => one.close(), String)).toBeUndefined()
    })

    test('sends tokens over TLS, or to this machine only [security/dashboard]', async () => {
      const { protocol, hostname, port } = new URL(suite.server.dashboardUrl)
      expect(hostname).toBe('127.0.0.1')
      if (protocol === 'http:') return
      const path = '/api/v1/namespaces/allot-system/secrets/allot-webhook-certificate'
      const { data } = (await suite.server.send('GET', path)).json
      const socket = secureConnect({ host: hostname, port: Number(port), ca: Buffer.from(data['ca.crt'], 'base64') })
      await once(socket, 'secureConnect')
      expect(socket.authorized).toBe(true)
      socket.destroy()
    })

    test('survives what is no HTTP, and a client that leaves [security/dashboard]', async () => {
      const { hostname, port } = new URL(suite.server.dashboardUrl)
      const sent = [
        '\u0000\u0001\u0002',
        'GET / HTTP/1.1\r\n\r\n',
        'GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer',
      ]
      for (const bytes of sent)
        await new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname, () => socket.end(bytes))
          socket.on('error', () => undefined)
          socket.on('close', () => resolve())
          socket.resume()
        })
      expect((await client.ask({ path: '/api/v1/pools', token: token() })).code).toBe(200)
    })
  })
