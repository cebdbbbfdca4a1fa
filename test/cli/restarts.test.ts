import { expect, test } from 'vitest'
import { ApiClient } from '../api-client.ts'
import { mustCreate, untilSettled } from '../arena.ts'
import { type Allot, startAllot, temporaryDirectory } from '../start-allot.ts'

const PATIENCE_MS = 60_000
const GROUP = 'capsule.clastix.io/v1beta2'
const CAPSULE = `/apis/${GROUP}`
const hard = { 'requests.cpu': '4', pods: '10' }
const labels = { team: 'a' }
const OBJECTS: readonly (readonly [path: string, object: object])[] = [
  ['/api/v1/namespaces', { metadata: { name: 'shop', labels } }],
  [
    `${CAPSULE}/resourcepools`,
    {
      apiVersion: GROUP,
      kind: 'ResourcePool',
      metadata: { name: 'pool' },
      spec: { selectors: [{ matchLabels: labels }], quota: { hard } },
    },
  ],
  [
    `${CAPSULE}/namespaces/shop/resourcepoolclaims`,
    {
      apiVersion: GROUP,
      kind: 'ResourcePoolClaim',
      metadata: { name: 'claim' },
      spec: { pool: 'pool', claim: { pods: '3' } },
    },
  ],
  [
    `${CAPSULE}/namespaces/shop/customquotas`,
    {
      apiVersion: GROUP,
      kind: 'CustomQuota',
      metadata: { name: 'maps' },
      spec: { limit: '20', sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }] },
    },
  ],
]

/** Lines of the log from warnings on. */
const warnings = (allot: Allot): readonly string[] =>
  allot
    .logs()
    .split('\n')
    .filter((line) => /"level":"(?:warn|error|fatal)"|^(?!\{)./.test(line))

/** The ports that the webhook configurations lead to. */
async function webhookPorts(client: ApiClient): Promise<readonly (string | undefined)[]> {
  const { text } = await client.send('GET', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations')
  return [...new Set([...text.matchAll(/"url":"https:\/\/127\.0\.0\.1:(\d+)\//g)].map(([, port]) => port))]
}

/** Resolves when the quotas decide on what is created in the namespace. */
async function untilDecided(client: ApiClient): Promise<void> {
  await untilSettled(async () => {
    const { code, text } = await client.send('POST', '/api/v1/namespaces/shop/configmaps', {
      metadata: { generateName: 'map-' },
    })
    return code === 201 ? undefined : text
  }, PATIENCE_MS)
  await untilSettled(async () => {
    const { text } = await client.send('GET', `${CAPSULE}/namespaces/shop/resourcepoolclaims/claim`)
    return text.includes('"type":"Bound"') ? undefined : text
  }, PATIENCE_MS)
}

test('after a kill and after a stop allot up starts again on its state without a warning, with its webhooks at the same port', async () => {
  const dataDir = temporaryDirectory()
  const start = (): Promise<Allot> => startAllot({ dataDir, operator: true, workloads: true })
  const first = await start()
  const client = new ApiClient(first)
  for (const [path, object] of OBJECTS) await mustCreate(client, path, object)
  await untilDecided(client)
  const ports = await webhookPorts(client)
  expect(ports).toHaveLength(1)
  await first.kill9()
  for (let n = 0; n < 2; n++) {
    const again = await start()
    await untilDecided(new ApiClient(again))
    expect(await webhookPorts(new ApiClient(again))).toEqual(ports)
    await again.stop()
    expect(warnings(again)).toEqual([])
  }
})
