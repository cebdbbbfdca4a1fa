import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { describe, expect, test } from 'vitest'
import { isForbidden, isNotFound } from '../../src/machinery/status.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { makeClientCertificate } from './make-client-certificate.ts'
import { coreKind } from './core-kinds.ts'
import { forSuite, openClient, servers, type TestServer } from './servers.ts'

const NODES = coreKind('nodes', 'Node', false)

/** Another kubeconfig for the same cluster, for another user, beside these files. */
function kubeconfigFor(
  server: TestServer,
  user: (original: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>> = {},
): string {
  const folder = temporaryDirectory()
  const config = parse(readFileSync(server.kubeconfig, 'utf8'))
  config.users[0].user = user(config.users[0].user)
  const file = join(folder, 'config')
  for (const [name, text] of Object.entries({ ...files, config: stringify(config) }))
    writeFileSync(join(folder, name), text)
  return file
}

/** Returns the message for a user without access to nodes, or `allowed`. */
async function readNodes(kubeconfig: string): Promise<string> {
  const { client, close } = openClient(kubeconfig)
  try {
    await client.list(NODES)
    return 'allowed'
  } catch (error) {
    if (isForbidden(error)) return error.message
    throw error
  } finally {
    await close()
  }
}

describe.each(servers)('on %s', (_, start) => {
  const suite = forSuite(start)

  test('an administrator acts as another, in other groups', async () => {
    const as = (more: object) => readNodes(kubeconfigFor(suite.server, (admin) => ({ ...admin, ...more })))
    expect(await as({ as: 'jane' })).toMatch(/User "jane" cannot list resource "nodes"/)
    expect(
      await as({ as: 'jane', 'as-groups': ['dev', 'ops'], 'as-user-extra': { 'example.com/a b': ['1', '2'] } }),
    ).toMatch(/User "jane"/)
    expect(await as({ as: 'jane', 'as-groups': ['dev', 'system:masters'] })).toBe('allowed')
  })

  test('a client certificate authenticates its user', async ({ skip }) => {
    const authority = suite.server.clientAuthority
    skip(authority === undefined, 'someone else has started the server')
    if (authority === undefined) return
    const pair = await makeClientCertificate(authority, 'CN=jane, O=dev')
    const root = await makeClientCertificate(authority, 'CN=root, O=system:masters')
    const files = { 'me.crt': pair.certificate, 'me.key': pair.key }
    const byFiles = kubeconfigFor(
      suite.server,
      () => ({ 'client-certificate': 'me.crt', 'client-key': 'me.key' }),
      files,
    )
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const byData = kubeconfigFor(suite.server, () => ({
      'client-certificate-data': base64(root.certificate),
      'client-key-data': base64(root.key),
    }))
    expect(await readNodes(byFiles)).toMatch(/User "jane" cannot list resource "nodes"/)
    expect(await readNodes(byData)).toBe('allowed')
  })

  test('a token file is read', async () => {
    const { token } = parse(readFileSync(suite.server.kubeconfig, 'utf8')).users[0].user
    expect(await readNodes(kubeconfigFor(suite.server, () => ({ tokenFile: 'token' }), { token: `${token}\n` }))).toBe(
      'allowed',
    )
  })

  test('an exec plugin gives the token, and another one when that is refused', async () => {
    const { token } = parse(readFileSync(suite.server.kubeconfig, 'utf8')).users[0].user
    const script = `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >> "$LOG"
[ "$(wc -l < "$LOG")" -eq 1 ] && token=stale || token=$REAL
echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"'"$token"'"}}'
`
    const log = join(temporaryDirectory(), 'log')
    writeFileSync(log, '')
    const kubeconfig = kubeconfigFor(
      suite.server,
      () => ({
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: './login',
          env: [
            { name: 'LOG', value: log },
            { name: 'REAL', value: token },
          ],
          provideClusterInfo: true,
        },
      }),
      { login: script },
    )
    chmodSync(join(kubeconfig, '..', 'login'), 0o755)
    expect(await readNodes(kubeconfig)).toBe('allowed')
    const runs = readFileSync(log, 'utf8').trim().split('\n')
    expect(runs).toHaveLength(2)
    expect(JSON.parse(runs[0] ?? '')).toMatchObject({
      kind: 'ExecCredential',
      spec: { cluster: { server: expect.stringMatching(/^https:/) } },
    })
  })

  test('no client gets an empty answer', async () => {
    const error = await readNodes(kubeconfigFor(suite.server, () => ({ token: 'not-a-token' }))).catch(
      (thrown: unknown) => thrown,
    )
    expect([isNotFound(error), error]).toMatchObject([false, { status: { code: 401, reason: 'Unauthorized' } }])
  })
})
