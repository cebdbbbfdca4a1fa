import '../../../src/runtime/certificate/reflect-metadata.ts'
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, X509CertificateGenerator } from '@peculiar/x509'
import { createPrivateKey, type webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Allot, startAllot } from '../../start-allot.ts'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const WHO_AM_I = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

let allot: Allot
beforeAll(async () => {
  allot = await startAllot()
})
afterAll(() => allot.stop())

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** A certificate for `subject`, signed with the key of the server's authority, or with another. */
async function certificate(
  subject: string,
  { authority = caKey(), usage = ExtendedKeyUsage.clientAuth, days = 1 } = {},
): Promise<{ cert: string; key: string }> {
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const made = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject,
    issuer: 'CN=allot-ca',
    notBefore: new Date(Date.now() - 3 * 86_400_000),
    notAfter: new Date(Date.now() + days * 86_400_000),
    publicKey: keys.publicKey,
    signingKey: await authority,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new ExtendedKeyUsageExtension([usage])],
  })
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    cert: made.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8.toString('base64')}\n-----END PRIVATE KEY-----\n`,
  }
}

async function caKey(): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(readFileSync(join(allot.dataDir, 'ca.key'))).export({ type: 'pkcs8', format: 'der' })
  return await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), CURVE, true, ['sign'])
}

const strangersKey = async (): Promise<webcrypto.CryptoKey> =>
  (await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])).privateKey

/** Sends requests one after the other over one connection. */
async function ask(
  pair: { cert: string; key: string },
  {
    http2 = false,
    headers = {},
    times = 1,
  }: { http2?: boolean; headers?: Record<string, string>; times?: number } = {},
): Promise<readonly Answer[]> {
  const agent = new Agent({ connect: { ca: allot.ca, ...pair }, allowH2: http2, connections: 1 })
  const answers: Answer[] = []
  for (let i = 0; i < times; i++) {
    const response = await request(allot.url + WHO_AM_I, {
      dispatcher: agent,
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...headers },
    })
    answers.push({ status: response.statusCode, body: JSON.parse(await response.body.text()) })
  }
  await agent.close()
  return answers
}

describe('a client certificate', () => {
  test.each([false, true])('authenticates its user on every request of a connection (HTTP/2: %s)', async (http2) => {
    const answers = await ask(await certificate('CN=jane, O=dev, O=ops'), { http2, times: 3 })
    for (const { status, body } of answers) {
      expect([status, body.status?.userInfo]).toEqual([
        201,
        {
          username: 'jane',
          groups: ['dev', 'ops', 'system:authenticated'],
          extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
        },
      ])
    }
  })

  test('counts before a token', async () => {
    const [answer] = await ask(await certificate('CN=jane'), { headers: { authorization: `Bearer ${allot.token}` } })
    expect(answer?.body.status.userInfo.username).toBe('jane')
  })

  test('of system:masters makes an administrator, who may act as others', async () => {
    const [answer] = await ask(await certificate('CN=root, O=system:masters'), {
      headers: { 'impersonate-user': 'joe' },
    })
    expect([answer?.status, answer?.body.status?.userInfo.username]).toEqual([201, 'joe'])
  })

  test.each([
    ['another authority', () => certificate('CN=jane, O=system:masters', { authority: strangersKey() })],
    ['the past', () => certificate('CN=jane, O=system:masters', { days: -1 })],
    ['a server', () => certificate('CN=jane, O=system:masters', { usage: ExtendedKeyUsage.serverAuth })],
  ])('of %s is refused', async (_, pair) => {
    const [answer] = await ask(await pair())
    expect([answer?.status, answer?.body.reason]).toEqual([401, 'Unauthorized'])
  })

  test('that is not good does not keep a token from being good', async () => {
    const [answer] = await ask(await certificate('CN=jane', { authority: strangersKey() }), {
      headers: { authorization: `Bearer ${allot.token}` },
    })
    expect([answer?.status, answer?.body.status?.userInfo.username]).toEqual([201, 'admin'])
  })
})

test('the token of a service account is good after a restart', async () => {
  const issued = await allot.call('/api/v1/namespaces/default/serviceaccounts/default/token', {
    method: 'POST',
    body: {},
  })
  const { token } = issued.json.status
  const { dataDir } = allot
  await allot.stop()
  allot = await startAllot({ dataDir })
  const { status, json } = await allot.call(WHO_AM_I, { method: 'POST', body: {}, token })
  expect([status, json.status?.userInfo.username]).toEqual([201, 'system:serviceaccount:default:default'])
})
