import { once } from 'node:events'
import { connect } from 'node:net'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { freePort } from '../../free-ports.ts'
import { startAllot } from '../../start-allot.ts'
import { bareServers, operatedServers, portsIn, startOperator, type BareServer, representative } from '../operated.ts'
import { POOLS } from '../pool-objects.ts'

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

test('the metrics port of allot up demands what its API demands [security/metrics-port]', async () => {
  await using server = await operatedServers[0]!.start()
  const [allowed, forbidden] = await tokens(server)
  const sent = [undefined, 'nonsense', forbidden, allowed, server.token]
  expect(await codes(`http://127.0.0.1:${server.metricsPort}/metrics`, sent)).toEqual([401, 401, 403, 200, 200])
  const rebound = await request(`http://127.0.0.1:${server.metricsPort}/metrics`, { headers: { host: 'evil.example' } })
  await rebound.body.dump()
  expect(rebound.statusCode).toBe(403)
})

for (const { name, start } of representative(bareServers))
  test(`with --metrics-auth its port demands that too, over TLS: ${name}`, async () => {
    await using server = await start()
    await using operator = await startOperator(server.kubeconfig, ['--metrics-auth'])
    const [allowed, forbidden] = await tokens(server)
    const sent = [undefined, 'nonsense', forbidden, allowed]
    expect(await codes(`https://127.0.0.1:${operator.metricsPort}/metrics`, sent)).toEqual([401, 401, 403, 200])
  })

test('each port of allot up has its own address, and is reached from outside only where that says so', async () => {
  await using allot = await startAllot({ operator: true, inMemory: true, args: ['--metrics-host', '0.0.0.0'] })
  const warnings = warningsIn(allot.logs())
  expect(warnings).toMatchObject([{ what: 'metrics', host: '0.0.0.0', level: 'warn' }])
  const [, port] = /\/metrics on (\d+)/.exec(allot.output()) ?? []
  expect(await codes(`https://127.0.0.1:${port}/metrics`, [undefined, allot.token])).toEqual([401, 200])
})

/** Where the three ports are, by the flag that moves them. */
const PLACES = { '--webhook-host': '127.0.0.2', '--metrics-host': '127.0.0.3', '--health-host': '127.0.0.4' } as const

test('each address flag of allot up moves its own port, and no other', async () => {
  const args = [...Object.entries(PLACES).flat(), ...(await ownPorts())]
  await using allot = await startAllot({ operator: true, inMemory: true, args })
  // The whole network 127.0.0.0/8 is loopback.
  expect(allot.logs()).toBe('')
  const { webhookPort, metricsPort, healthPort } = portsIn(allot.output())
  const ports = { '--webhook-host': webhookPort, '--metrics-host': metricsPort, '--health-host': healthPort }
  const addresses = ['127.0.0.1', ...Object.values(PLACES)]
  for (const [flag, port] of Object.entries(ports)) {
    const reached = await Promise.all(addresses.map((address) => accepts(address, port)))
    expect([flag, addresses.filter((_, at) => reached[at])]).toEqual([flag, [PLACES[flag as keyof typeof PLACES]]])
  }
  expect(await codes(`http://127.0.0.3:${metricsPort}/metrics`, [undefined, allot.token])).toEqual([401, 200])
  const { statusCode, body } = await request(`http://127.0.0.4:${healthPort}/readyz`)
  await body.dump()
  expect(statusCode).toBe(200)
  // The webhooks are asked at their address: it is they that refuse this.
  const spec = { selectors: [{ matchLabels: { pool: 'p' } }], quota: { hard: { pods: '-1' } } }
  const pool = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePool', metadata: { name: 'p' }, spec }
  const refused = await allot.call(POOLS, { method: 'POST', body: pool })
  expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining('admission webhook')])
})

test.each(Object.keys(PLACES))('%s alone makes its port reachable from outside, with a warning', async (flag) => {
  await using allot = await startAllot({
    operator: true,
    inMemory: true,
    args: [flag, '0.0.0.0', ...(await ownPorts())],
  })
  const warnings = warningsIn(allot.logs())
  const what = { '--webhook-host': 'webhooks', '--metrics-host': 'metrics', '--health-host': 'health' }[flag]
  expect(warnings).toMatchObject([{ what, host: '0.0.0.0', level: 'warn' }])
  const { webhookPort, metricsPort, healthPort } = portsIn(allot.output())
  const ports = [webhookPort, metricsPort, healthPort]
  const reached = await Promise.all(ports.map((port) => accepts('127.0.0.2', port)))
  expect(ports.filter((_, at) => reached[at])).toEqual([ports[Object.keys(PLACES).indexOf(flag)]])
})

/** Ports that nobody else gets: the system gives the same free port to two processes that listen at different addresses. */
async function ownPorts(): Promise<readonly string[]> {
  const flags = ['--webhook-port', '--metrics-port', '--health-port']
  return (await Promise.all(flags.map(async (flag) => [flag, String(await freePort())]))).flat()
}

/** Without the one of a busy machine. */
const warningsIn = (logs: string): readonly { readonly msg: string }[] =>
  logs
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string })
    .filter(({ msg }) => !msg.startsWith('the start takes long'))

/** Does anybody listen there? */
async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
