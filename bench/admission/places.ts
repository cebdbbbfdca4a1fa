import { customQuota } from '../../src/systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../src/systems/custom-quota/api/global-custom-quota.ts'
import { conditionOf } from '../../src/api/condition.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { eventually } from '../../test/eventually.ts'
import { type BareServer, type OperatorProcess, startOperator } from '../../test/operator/operated.ts'
import { guardedPath } from '../../src/operator/webhook/key/guarded-path.ts'
import { WEBHOOK_KEY_SECRET } from '../../src/install/installed-names.ts'
import { freePort } from '../../test/free-ports.ts'
import { TcpBalancer } from '../../test/operator/tcp-balancer.ts'
import { podNamed } from '../load.ts'
import { rawRequest, RawConnection } from '../raw-connection.ts'
import { PATIENCE_MS } from './webhooks.ts'

const GROUP = '/apis/capsule.clastix.io/v1beta2'
const SOURCE = { apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.containers[*].resources.requests.cpu' }
/** The same by CEL, behind a field selector, and a second source that counts. */
const MIXED_SOURCES = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    op: 'add',
    cel: 'object.spec.containers.map(c, quantity(c.resources.requests.cpu))',
    selectors: [{ fieldSelectors: ['.spec.restartPolicy=Always'] }],
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    op: 'count',
    selectors: [{ celExpressions: ["object.metadata.labels.app == 'load'"] }],
  },
]
/** Never reached: whatever is refused is refused by mistake. */
const LIMIT = '10000000'

/** A namespace in which pods can be created; `bench` is the label by which quotas and webhooks select it. */
export async function furnish({ send, until }: BareServer, name: string, bench = name): Promise<void> {
  const { status, text } = await send('POST', '/api/v1/namespaces', { metadata: { name, labels: { bench } } })
  if (status !== 201) throw new Error(`the namespace ${name} was answered with ${status}: ${text}`)
  await until(`/api/v1/namespaces/${name}/serviceaccounts/default`, (answer) => answer.status === 200)
}

/** A quota on the CPU that pods request, in one namespace; resolves when it is ready. */
export const makeQuota = (
  server: BareServer,
  namespace: string,
  sources: readonly object[] = [SOURCE],
  name = 'bench',
): Promise<void> =>
  make(server, `${GROUP}/namespaces/${namespace}/customquotas`, {
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { name },
    spec: { limit: LIMIT, sources },
  })

/** A quota of several sources, with CEL and a field selector. */
export const makeMixedQuota = (server: BareServer, namespace: string): Promise<void> =>
  makeQuota(server, namespace, MIXED_SOURCES)

/** The same over all namespaces with this label. */
export const makeGlobalQuota = (server: BareServer, name: string, bench: string): Promise<void> =>
  make(server, `${GROUP}/globalcustomquotas`, {
    apiVersion: globalCustomQuota.apiVersion,
    kind: globalCustomQuota.kind,
    metadata: { name },
    spec: { limit: LIMIT, sources: [SOURCE], namespaceSelectors: [{ matchLabels: { bench } }] },
  })

async function make(server: BareServer, path: string, quota: KubeObject): Promise<void> {
  const { status, text } = await server.send('POST', path, quota)
  if (status !== 201) throw new Error(`${path} was answered with ${status}: ${text}`)
  await server.until(`${path}/${quota.metadata.name}`, ({ json }) => {
    const { generation, ...rest } = { ...json.metadata }
    return (
      rest.name !== undefined &&
      json.status?.observedGeneration === generation &&
      conditionOf(json.status.conditions, 'Ready')?.status === 'True'
    )
  })
}

export interface Replicas extends AsyncDisposable {
  readonly all: readonly OperatorProcess[]
}

/** Replicas of the operator: one is asked directly, several through a balancer. */
export async function startReplicas(
  server: BareServer,
  count: number,
  flags: readonly string[] = [],
  program?: string,
): Promise<Replicas> {
  const all: OperatorProcess[] = []
  const balancer = count === 1 ? undefined : await TcpBalancer.start()
  for (let index = 0; index < count; index++) {
    const port = await freePort()
    if (balancer !== undefined) balancer.ports = [...balancer.ports, port]
    const url = `https://127.0.0.1:${balancer?.port ?? port}`
    const own = ['--webhook-url', url, '--webhook-port', String(port), '--log-level', 'warn']
    all.push(await startOperator(server.kubeconfig, [...own, ...flags], program))
  }
  return {
    all,
    [Symbol.asyncDispose]: async () => {
      for (const replica of all) if (replica.logs() !== '') process.stderr.write(replica.logs())
      await Promise.all(all.map((replica) => replica.kill9()))
      await balancer?.[Symbol.asyncDispose]()
    },
  }
}

/** Reservations for pods that the API server never stores: a replica is asked about them, and they stand until their time is over. */
export async function reserve(
  { send }: BareServer,
  { webhookPort }: Pick<OperatorProcess, 'webhookPort'>,
  namespaces: readonly string[],
  count: number,
): Promise<void> {
  const target = { url: `https://127.0.0.1:${webhookPort}`, token: '' }
  const { json } = await send('GET', `/api/v1/namespaces/allot-system/secrets/${WEBHOOK_KEY_SECRET}`)
  const path = guardedPath('/custom-quotas/calculations', Buffer.from(json.data.current, 'base64'))
  const connection = await RawConnection.open(target.url)
  for (let index = 0; index < count; index++) {
    const namespace = namespaces[index % namespaces.length] ?? ''
    const name = `standing-${index}`
    const uid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const pod = { ...podNamed(name) } as KubeObject
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid,
        kind: { group: '', version: 'v1', kind: 'Pod' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        namespace,
        name,
        operation: 'CREATE',
        userInfo: { username: 'bench' },
        object: { ...pod, metadata: { ...pod.metadata, namespace, uid } },
      },
    }
    const answer = await connection.send(rawRequest(target, 'POST', `${path}?timeout=30s`, JSON.stringify(review)))
    if (!answer.body.toString().includes('"allowed":true')) throw new Error(`${answer.code}: ${answer.body.toString()}`)
  }
  connection.close()
}

/** How many reservations stand in the ledger of a global quota. */
export async function standing({ send }: BareServer, quota: string): Promise<number> {
  const { json } = await send('GET', `${GROUP}/namespaces/allot-system/quantityledgers/${quota}`)
  return String(json.status?.outstanding ?? '')
    .split('%')
    .filter((record) => record.startsWith('o/')).length
}

/** How often the API server has answered a write of a ledger with success, and how often with a conflict. */
export async function ledgerWrites({
  send,
}: BareServer): Promise<{ readonly written: number; readonly conflicts: number }> {
  const { text } = await send('GET', '/metrics')
  const count = (code: string): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_request_total{') && line.includes('resource="quantityledgers"'))
      .filter((line) => line.includes('verb="PUT"') && line.includes(`code="${code}"`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  return { written: count('200'), conflicts: count('409') }
}

/** Resolves when nothing is outstanding in any ledger but those of these quotas. */
export async function settled({ send }: BareServer, except: readonly string[] = []): Promise<void> {
  await eventually(
    async () => {
      const { json } = await send('GET', `${GROUP}/quantityledgers`)
      const items: readonly KubeObject[] = json.items
      return items
        .filter(({ metadata }) => !except.includes(metadata.name ?? ''))
        .map((ledger) => (ledger['status'] as { readonly reserved?: string } | undefined)?.reserved)
    },
    (reserved) => reserved.every((amount) => amount === '0'),
    { patienceMs: PATIENCE_MS, what: 'what is reserved' },
  )
}
