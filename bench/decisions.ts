// The time of a decision on a custom quota in the operator alone, with an API server in the memory of this process: 1,000 quotas in the
// cluster of which three count each pod, and one global quota over 10,000 namespaces. Pods are created one after another, and 64 at
// a time. One JSON line per figure.
import { Registry } from '@prometheus-io/client'
import { customQuota } from '../src/systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../src/systems/custom-quota/api/global-custom-quota.ts'
import { conditionOf } from '../src/api/condition.ts'
import { DEFAULT_BOUNDS } from '../src/systems/custom-quota/decide/quota-bounds.ts'
import { EventRecorder } from '../src/kube/events/event-recorder.ts'
import { systemContext } from '../src/kube/time/system-context.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { ChargedTogether } from '../src/systems/counted/peers/charged-together.ts'
import { NativeRefusals } from '../src/systems/resource-quota/operate/foresight/native-refusals.ts'
import { QuotaReservations } from '../src/systems/resource-quota/operate/foresight/quota-reservations.ts'
import { customQuotaSystem } from '../src/systems/custom-quota/operate/system.ts'
import { CALCULATIONS_PATH } from '../src/systems/custom-quota/operate/admission/calculation-rules.ts'
import { ReconcileMetrics } from '../src/operator/shell/reconcile-metrics.ts'
import { StartedSystems } from '../src/operator/shell/started-systems.ts'
import { WebhookRules } from '../src/operator/shell/registered-webhooks.ts'
import type { AdmissionRequest } from '../src/runtime/admission/request.ts'
import { silentLogger } from '../src/runtime/process/logger.ts'
import { coreKind, NAMESPACES } from '../test/kube/core-kinds.ts'
import { eventually } from '../test/eventually.ts'
import { sealBy } from '../test/operator/ledger-seals.ts'
import { MemoryClient } from './admission/memory-client.ts'
import { podNamed } from './load.ts'

const DECISIONS = Number(process.env['BENCH_DECISIONS'] ?? '20000')
const WARM_UP = 3000
const PODS = coreKind('pods', 'Pod')
const NO_ONE = { username: 'bench', uid: '', groups: [], extra: {} }
const WITHIN_MS = 10_000
const SOURCE = { apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.containers[*].resources.requests.cpu' }
const LIMIT = '10000000'
const DISCOVERY = {
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [{ name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list', 'watch'], singularName: '' }],
  },
}

interface Cluster {
  readonly figure: string
  readonly namespaces: number
  /** Quotas in namespaces of their own, and over all. */
  readonly quotas: number
  readonly globals: number
}

const CLUSTERS: readonly Cluster[] = [
  { figure: '1,000 quotas, of which three count each pod', namespaces: 998, quotas: 998, globals: 2 },
  { figure: 'one global quota over 10,000 namespaces', namespaces: 10_000, quotas: 0, globals: 1 },
]

const namespaceOf = (index: number): string => `namespace-${index}`

function quota(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  metadata: object,
  more = {},
) {
  return { apiVersion, kind, metadata, spec: { limit: LIMIT, sources: [SOURCE], ...more } } as KubeObject
}

function startSystem(client: MemoryClient, webhooks: WebhookRules): StartedSystems {
  const registry = new Registry()
  const clock = systemContext
  const shared = {
    client,
    clock,
    logger: silentLogger,
    registry,
    recorder: new EventRecorder({ client, clock, logger: silentLogger, component: 'bench', instance: 'bench' }),
    webhooks,
    systemNamespace: 'allot-system',
    exempt: new Set<string>(),
    seal: sealBy(),
    ownName: () => undefined,
  }
  const system = customQuotaSystem(
    {
      enforce: 'on',
      configuredRules: undefined,
      untilReady: 'refuse',
      warnAt: [80, 95],
      requestTimeoutMs: 60_000,
      strictPaths: false,
      bounds: DEFAULT_BOUNDS,
      quotasPerNamespace: 64,
      workers: 8,
    },
    {
      together: new ChargedTogether(),
      foresight: (context) => new NativeRefusals(context, new QuotaReservations()),
    },
  )
  return new StartedSystems({
    client,
    clock,
    logger: silentLogger,
    metrics: new ReconcileMetrics(registry),
    starts: [(caches) => system.start({ ...shared, caches })],
  })
}

async function open({ namespaces, quotas, globals }: Cluster) {
  const client = new MemoryClient(DISCOVERY)
  for (let index = 0; index < namespaces; index++)
    client.put(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespaceOf(index), labels: { bench: 'yes' } },
    })
  const selecting = { namespaceSelectors: [{ matchLabels: { bench: 'yes' } }] }
  const all = [
    ...Array.from({ length: quotas }, (_, index) => ({
      of: customQuota,
      object: quota(customQuota, { namespace: namespaceOf(index), name: 'bench' }),
    })),
    ...Array.from({ length: globals }, (_, index) => ({
      of: globalCustomQuota,
      object: quota(globalCustomQuota, { name: `bench-${index}` }, selecting),
    })),
  ]
  for (const { of, object } of all) client.put(of, object)
  const webhooks = new WebhookRules()
  const started = startSystem(client, webhooks)
  webhooks.onChange(() => webhooks.proveLive(webhooks.hash))
  await started.start()
  webhooks.proveLive(webhooks.hash)
  const stop = new AbortController()
  const leading = started.lead(stop.signal)
  await eventually(
    async () => {
      const lists = await Promise.all([customQuota, globalCustomQuota].map((kind) => client.list(kind)))
      return lists
        .flatMap(({ items }) => items)
        .filter(
          (one) =>
            conditionOf((one as { status?: { conditions?: [] } }).status?.conditions, 'Ready')?.status !== 'True',
        ).length
    },
    (left) => left === 0,
    { patienceMs: 60_000, what: 'quotas that are not ready' },
  )
  return {
    client,
    webhooks,
    close: async () => {
      stop.abort()
      await leading
      await started.stop()
    },
  }
}

const bare = podNamed('') as KubeObject
let serial = 0

function request(cluster: Cluster): AdmissionRequest {
  const name = `pod-${serial++}`
  const namespace = namespaceOf((serial * 7919) % cluster.namespaces)
  const metadata = { ...bare.metadata, namespace, name, uid: crypto.randomUUID() }
  const pod = JSON.parse(JSON.stringify({ ...bare, metadata })) as KubeObject
  return {
    uid: metadata.uid,
    kind: PODS,
    resource: PODS,
    subResource: '',
    requestKind: PODS,
    requestResource: PODS,
    requestSubResource: '',
    name,
    namespace,
    operation: 'CREATE',
    userInfo: NO_ONE,
    object: pod,
    oldObject: undefined,
    dryRun: false,
    options: undefined,
  }
}

/** How long a decision took, and how much of that the thread ran: on a busy machine others have it meanwhile. */
interface Took {
  readonly wall: number
  readonly thread: number
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function measure(cluster: Cluster): Promise<void> {
  const { client, webhooks, close } = await open(cluster)
  const webhook = webhooks.at(CALCULATIONS_PATH)
  if (webhook === undefined) throw new Error('pods are not asked about')
  const signal = new AbortController().signal
  const decide = async (): Promise<Took> => {
    const asked = request(cluster)
    const began = performance.now()
    const spent = threadMs()
    const { verdict } = await webhook.handle(asked, signal, WITHIN_MS)
    const took = { wall: performance.now() - began, thread: threadMs() - spent }
    if (verdict !== 'allowed') throw new Error(`a pod was ${verdict}`)
    if (asked.object !== undefined) client.put(PODS, asked.object)
    return took
  }
  for (const together of [1, 64]) {
    const run = async (count: number): Promise<readonly Took[]> => {
      const all: Took[] = []
      await Promise.all(
        Array.from({ length: together }, async () => {
          while (all.length < count) {
            all.push(await decide())
            await new Promise(setImmediate)
          }
        }),
      )
      return all
    }
    await run(WARM_UP)
    const writes = client.updates.get('quantityledgers') ?? 0
    const cpu = process.cpuUsage()
    const took = await run(DECISIONS)
    const { user, system } = process.cpuUsage(cpu)
    const quantile = (of: keyof Took, part: number): number => {
      const sorted = took.map((one) => one[of]).toSorted((a, b) => a - b)
      return Math.round((sorted[Math.floor(sorted.length * part)] ?? NaN) * 1000) / 1000
    }
    console.log(
      JSON.stringify({
        bench: 'decisions',
        figure: cluster.figure,
        together,
        p50: quantile('wall', 0.5),
        p99: quantile('wall', 0.99),
        // Together with others a decision waits for theirs, so only alone this is its own.
        ...(together === 1 ? { threadP50: quantile('thread', 0.5), threadP99: quantile('thread', 0.99) } : {}),
        cpuMicroseconds: Math.round((user + system) / took.length),
        requestsForEachWrite:
          Math.round((took.length / ((client.updates.get('quantityledgers') ?? 0) - writes)) * 100) / 100,
      }),
    )
  }
  await close()
}

for (const cluster of CLUSTERS) await measure(cluster)
process.exit()
