import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { startAllot } from '../start-allot.ts'
import { bareServers, operatedServers, startOperator, type BareServer } from './operated.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'

/** The token of an account that may read metrics, and of one that may not. */
async function tokens({ send }: BareServer): Promise<readonly [allowed: string, forbidden: string]> {
  for (const name of ['reader', 'stranger']) await send('POST', ACCOUNTS, { metadata: { name } })
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]
  await send('POST', `${rbac}/clusterroles`, { metadata: { name: 'reads-metrics' }, rules })
  await send('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'reads-metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reads-metrics' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
  })
  const tokenOf = async (name: string): Promise<string> => {
    const { json } = await send('POST', `${ACCOUNTS}/${name}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    return json.status.token
  }
  return [await tokenOf('reader'), await tokenOf('stranger')]
}

async function codes(url: string, sent: readonly (string | undefined)[]): Promise<readonly number[]> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } })
  const answers: number[] = []
  for (const token of sent) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const { statusCode, body } = await request(url, { dispatcher: agent, headers })
    const text = await body.text()
    expect(/^allot_leader /m.test(text), `${statusCode}`).toBe(statusCode === 200)
    answers.push(statusCode)
  }
  await agent.destroy()
  return answers
}

test('the metrics port of allot up demands what its API demands', async () => {
  await using server = await operatedServers[0]!.start()
  const [allowed, forbidden] = await tokens(server)
  const sent = [undefined, 'nonsense', forbidden, allowed, server.token]
  expect(await codes(`http://127.0.0.1:${server.metricsPort}/metrics`, sent)).toEqual([401, 401, 403, 200, 200])
  const rebound = await request(`http://127.0.0.1:${server.metricsPort}/metrics`, { headers: { host: 'evil.example' } })
  await rebound.body.dump()
  expect(rebound.statusCode).toBe(403)
})

for (const { name, available, start } of bareServers)
  test.skipIf(!available)(`with --metrics-auth its port demands that too, over TLS: ${name}`, async () => {
    await using server = await start()
    await using operator = await startOperator(server.kubeconfig, ['--metrics-auth'])
    const [allowed, forbidden] = await tokens(server)
    const sent = [undefined, 'nonsense', forbidden, allowed]
    expect(await codes(`https://127.0.0.1:${operator.metricsPort}/metrics`, sent)).toEqual([401, 401, 403, 200])
  })

test('each port of allot up has its own address, and is reached from outside only where that says so', async () => {
  await using allot = await startAllot({ operator: true, inMemory: true, args: ['--metrics-host', '0.0.0.0'] })
  const warnings = allot
    .logs()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(warnings).toMatchObject([{ what: 'metrics', host: '0.0.0.0', level: 'warn' }])
  const [, port] = /\/metrics on (\d+)/.exec(allot.output()) ?? []
  expect(await codes(`https://127.0.0.1:${port}/metrics`, [undefined, allot.token])).toEqual([401, 200])
})
