import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { guardedWrites } from '../../src/apiserver/auth/guard/strategies.ts'
import type { Answer } from '../in-process.ts'
import { apiServer, MERGE } from '../api/api-server.ts'
import { access, type Headers, nameOf, RBAC } from '../api/access/role-objects.ts'
import { type Asked, FURTHER_DEMANDS, senderHeaders, UNSERVED_DEMANDS } from './further-demands.ts'

const api = apiServer()
const { allow, tokenFor } = access(api)
/** `proxy` was the verb of paths that no server has any more. */
const STANDARD = new Set([
  'proxy',
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  '*',
])

test.each(FURTHER_DEMANDS.map((demand, index) => ({ ...demand, index })))(
  '$title: its writer needs further permissions [security/further-demands]',
  async (demand) => {
    const namespace = nameOf(await api.namespace())
    const account = `a${demand.index}`
    const token = await tokenFor(namespace, account)
    const byAccount = demand.sender !== undefined
    const user = byAccount ? `system:serviceaccount:${namespace}:${account}` : account
    const filled = (text: string): string => text.replaceAll('_USER_', user).replaceAll('_NS_', namespace)
    const send = ({ method, path, body, headers = {} }: Asked, sender: Headers = {}): Promise<Answer> => {
      const sent: unknown = body === undefined ? undefined : JSON.parse(filled(JSON.stringify(body)))
      const own: unknown = JSON.parse(filled(JSON.stringify(headers)))
      return api.send(method, filled(path), sent, { ...(own as Headers), ...sender })
    }
    for (const step of demand.before ?? []) {
      const { status, body } = await send(step)
      expect(status, body.message).toBeLessThan(300)
    }
    const sender = senderHeaders(demand, user, token)
    const ask = (): Promise<Pick<Answer, 'status' | 'body'>> =>
      demand.isUpgrade === true ? upgrade(filled(demand.asked.path), sender) : send(demand.asked, sender)
    if (demand.base.length > 0) await allow('', user, ...demand.base)
    const refused = await ask()
    expect(refused.status, refused.body.message).toBe(demand.refusal.status)
    expect(refused.body.message).toContain(filled(demand.refusal.message))
    if ('label' in demand.grant) {
      const labels = { [demand.grant.label]: 'true' }
      await api.send('PATCH', `/api/v1/namespaces/${namespace}`, { metadata: { labels } }, MERGE)
    } else {
      const name = `more-${account}`
      await api.create(`${RBAC}/clusterroles`, { metadata: { name }, rules: demand.grant })
      await api.create(`${RBAC}/clusterrolebindings`, {
        metadata: { name },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      })
    }
    const allowed = await ask()
    if (demand.answer === undefined) expect(allowed.status, allowed.body.message).toBeLessThan(300)
    else expect(allowed.status).toBe(demand.answer)
  },
)

/** Asks for a WebSocket, which `fetch` does not. */
function upgrade(path: string, headers: Headers): Promise<Pick<Answer, 'status' | 'body'>> {
  const { url, token } = api.running
  const sent = { authorization: `Bearer ${token}`, ...headers, connection: 'Upgrade', upgrade: 'websocket' }
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: sent }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }), reject)
    }).on('error', reject)
  })
}

test('every strategy that guards a write has its case', () => {
  const cases = new Set(FURTHER_DEMANDS.flatMap(({ guard }) => guard ?? []))
  expect([...cases].toSorted()).toEqual([...guardedWrites].toSorted())
})

test('other resources that would need further permissions are not served', async () => {
  const groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[] = (
    await api.get('/apis')
  ).groups
  const served = await Promise.all(
    groups.flatMap(({ versions }) =>
      versions.map(async ({ groupVersion }) => {
        const { resources } = await api.get(`/apis/${groupVersion}`)
        return resources.map(({ name }: { readonly name: string }) => `${name}.${groupVersion.split('/')[0]}`)
      }),
    ),
  )
  expect(served.flat().length).toBeGreaterThan(50)
  for (const { resource, demands } of UNSERVED_DEMANDS) expect(served.flat(), demands).not.toContain(resource)
})

test('the reference lists what is demanded, and nothing else', () => {
  const document = readFileSync(new URL('../../docs/reference/access.md', import.meta.url), 'utf8')
  const [, table = ''] = document.split('## What a verb on the resource is not enough for') ?? []
  const listed = table
    .split('\n')
    .filter((line) => line.startsWith('| `') || line.startsWith('| label'))
    .map((line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) =>
          cell
            .trim()
            .replaceAll('`', '')
            .replace(/^label .*/, 'label'),
        ),
    )
  const demanded = FURTHER_DEMANDS.map(({ verb, on }) => [verb === '' ? 'label' : verb, on])
  const sorted = (rows: readonly (readonly string[])[]): readonly string[] =>
    [...new Set(rows.map((row) => row.join(' on ')))].toSorted()
  expect(sorted(listed)).toEqual(sorted(demanded))
})

test('every verb of the roles that a cluster begins with is one that something asks about', async () => {
  const verbs = new Set(
    (await api.get(`${RBAC}/clusterroles`)).items.flatMap((role: { readonly rules?: readonly Rule[] }) =>
      (role.rules ?? []).flatMap((rule) => rule.verbs.filter((verb) => !STANDARD.has(verb))),
    ),
  )
  const demanded = new Set(FURTHER_DEMANDS.flatMap(({ verb }) => verb.split(', ')))
  expect(verbs.size).toBeGreaterThan(0)
  for (const verb of verbs) expect(demanded).toContain(verb)
})

interface Rule {
  readonly verbs: readonly string[]
}
