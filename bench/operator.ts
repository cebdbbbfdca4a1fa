// Resource pools through the running operator: from a claim created to its quota raised (and enforced), what one claim's change
// costs the operator in a pool of thousands, and what it costs to watch 50,000 objects without anything to do: right after work,
// and once it was started anew. `allot run` runs as a process of its own, against `allot up --no-operator` and against a real API
// server. One JSON line per figure.
//
//   KUBEBUILDER_ASSETS=... node bench/operator.ts [claims] [namespaces] [objects] [allot|real]
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resourcePoolClaim } from '../src/systems/resource-pool/api/claim.ts'
import { type ResourcePool, resourcePool } from '../src/systems/resource-pool/api/resource-pool.ts'
import { isResourceQuota } from '../src/kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import type { KubeClient } from '../src/kube/client/kube-client.ts'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'
import { assets, startRealServer } from '../test/differential/real-server.ts'
import { coreKind, NAMESPACES } from '../test/kube/core-kinds.ts'
import { type OperatorProcess, startOperator } from '../test/operator/operated.ts'
import { startAllot } from '../test/start-allot.ts'
import { openBenchClient } from './bench-client.ts'

const [claims = 10_000, namespaces = 1000, objects = 50_000] = process.argv.slice(2, 5).map(Number)
const [, , , , , server] = process.argv
const CHANGES = 51
const WRITERS = 16
const IDLE_MS = 20_000
const PATIENCE_MS = 600_000

const QUOTAS = coreKind('resourcequotas', 'ResourceQuota')

interface Side {
  readonly name: string
  readonly client: KubeClient
  readonly kubeconfig: string
}

const print = (side: Side, figure: string, value: number, unit: string): void =>
  console.log(
    JSON.stringify({ bench: 'operator', server: side.name, figure, value: Math.round(value * 100) / 100, unit }),
  )

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN

/** User and system time of a process in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about`)
    await sleep(100)
  }
}

const pool = (name: string, label: string, hard: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: resourcePool.apiVersion,
  kind: resourcePool.kind,
  metadata: { name },
  spec: { selectors: [{ matchLabels: { bench: label } }], quota: { hard } },
})

const claim = (namespace: string, name: string, of: string): KubeObject => ({
  apiVersion: resourcePoolClaim.apiVersion,
  kind: resourcePoolClaim.kind,
  metadata: { namespace, name },
  spec: { pool: of, claim: { 'requests.cpu': '10m', 'requests.memory': '16Mi' } },
})

const HARD = { 'requests.cpu': '100k', 'requests.memory': '1Pi' }

async function makeNamespaces(client: KubeClient, prefix: string, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, n) => `${prefix}-${n}`)
  await inParallel(names, WRITERS, async (name) => {
    const metadata = { name, labels: { bench: prefix } }
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
  })
  return names
}

const statusOf = async (client: KubeClient, name: string): Promise<ResourcePool['status']> =>
  resourcePool.read(await client.get(resourcePool, { namespace: '', name })).status

/** Resolves when the operator has nothing to do any more. */
async function quiet({ pid }: OperatorProcess): Promise<void> {
  let before = -Infinity
  await until('a quiet operator', async () => {
    await sleep(2000)
    const now = cpuMs(pid)
    const isQuiet = now - before < 100
    before = now
    return isQuiet
  })
}

/** Creates claims one after another, and waits for each until admission enforces the raised quota. */
async function changes(side: Side, operator: OperatorProcess, of: string, namespace: string): Promise<void> {
  const { client } = side
  const { items, resourceVersion } = await client.list(QUOTAS, {})
  const stop = new AbortController()
  let writes = 0
  let seen: ((quota: KubeObject) => void) | undefined
  const versions = new Map(
    items.map(({ metadata }) => [
      metadata.uid,
      JSON.stringify(items.find((one) => one.metadata.uid === metadata.uid)?.['spec']),
    ]),
  )
  const watching = (async () => {
    for await (const event of client.watch(QUOTAS, { resourceVersion, signal: stop.signal })) {
      if (event.type === 'BOOKMARK') continue
      const spec = JSON.stringify(event.object['spec'])
      if (versions.get(event.object.metadata.uid) !== spec) writes++
      versions.set(event.object.metadata.uid, spec)
      seen?.(event.object)
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  const took: number[] = []
  const before = cpuMs(operator.pid)
  for (let n = 0; n < CHANGES; n++) {
    const started = performance.now()
    const first = versionsOf(await quotaIn(client, namespace, of))
    await new Promise<void>((resolve, reject) => {
      seen = (quota) => {
        if (quota.metadata.namespace === namespace && versionsOf(quota) !== first) resolve()
      }
      client.create(resourcePoolClaim, claim(namespace, `late-${n}`, of)).catch(reject)
    })
    took.push(performance.now() - started)
    await until('the status of the claim is written', () => isReported(client, namespace, `late-${n}`))
  }
  await sleep(500)
  const cpu = cpuMs(operator.pid) - before
  stop.abort()
  await watching
  print(side, `claim created until the raised quota is enforced, median, pool ${of}`, median(took), 'ms')
  print(side, `CPU of the operator for one claim, pool ${of}`, cpu / CHANGES, 'ms')
  print(side, `quotas whose limits were written for one claim, pool ${of}`, writes / CHANGES, '')
}

async function isReported(client: KubeClient, namespace: string, name: string): Promise<boolean> {
  return isBoundKnown(await client.get(resourcePoolClaim, { namespace, name }))
}

const isBoundKnown = (claim: KubeObject): boolean =>
  resourcePoolClaim.read(claim).status?.conditions.some(({ type }) => type === 'Bound') === true

const quotaIn = (client: KubeClient, namespace: string, of: string): Promise<KubeObject> =>
  client.get(QUOTAS, { namespace, name: `capsule-pool-${of}` })

/** The usage that admission enforces. */
const versionsOf = (quota: KubeObject): string =>
  isResourceQuota(quota) ? JSON.stringify(quota.status?.hard ?? {}) : ''

/** The cost of an idle operator. */
async function idle(side: Side, { pid }: OperatorProcess, when: string): Promise<void> {
  await sleep(IDLE_MS)
  const before = cpuMs(pid)
  await sleep(IDLE_MS)
  print(side, `part of a core that the idle operator uses, ${when}`, (100 * (cpuMs(pid) - before)) / IDLE_MS, '%')
  print(side, `memory of the idle operator over ${objects} objects, ${when}`, residentMiB(pid), 'MiB')
}

async function work(side: Side, operator: OperatorProcess): Promise<void> {
  const { client } = side
  const [small = ''] = await makeNamespaces(client, 'small', 1)
  await client.create(resourcePool, pool('small', 'small', HARD))
  await client.create(resourcePoolClaim, claim(small, 'first', 'small'))
  await until('a first claim', () => isReported(client, small, 'first'))
  await changes(side, operator, 'small', small)

  const names = await makeNamespaces(client, 'large', namespaces)
  const all = Array.from({ length: claims }, (_, n) => claim(names[n % names.length] ?? '', `claim-${n}`, 'large'))
  await inParallel(all, WRITERS, async (one) => void (await client.create(resourcePoolClaim, one)))
  const started = performance.now()
  await client.create(resourcePool, pool('large', 'large', HARD))
  await until('all claims', async () => (await statusOf(client, 'large'))?.claimCount === claims)
  print(side, `pool created until ${claims} claims have their room`, (performance.now() - started) / 1000, 's')
  await until('the statuses of all claims are written', async () => {
    await sleep(5000)
    const { items } = await client.list(resourcePoolClaim, {})
    return items.every((one) => isBoundKnown(one))
  })
  print(side, `the same until all of them say whether they are used`, (performance.now() - started) / 1000, 's')
  await quiet(operator)
  await changes(side, operator, 'large', names[0] ?? '')
  await makeNamespaces(client, 'idle', Math.max(0, objects - claims - 2 * namespaces))
  await idle(side, operator, 'right after work')
}

async function measure(side: Side): Promise<void> {
  const start = (): Promise<OperatorProcess> => startOperator(side.kubeconfig, ['--log-level', 'warn'])
  {
    await using operator = await start()
    await work(side, operator)
  }
  await using operator = await start()
  await quiet(operator)
  await idle(side, operator, 'started anew')
  await changes(side, operator, 'large', 'large-1')
}

interface Measured {
  readonly kubeconfig: string
  readonly url: string
  readonly token: string
}

async function measureServer(name: string, measured: Measured): Promise<void> {
  const { kubeconfig } = measured
  const { client, close } = openBenchClient(name, measured)
  await measure({ name, client, kubeconfig })
  await close()
}

if (server !== 'real') {
  await using allot = await startAllot()
  await measureServer('allot up', allot)
}
if (assets === undefined)
  console.error('KUBEBUILDER_ASSETS is not set (see scripts/real-apiserver): allot up is measured alone')
else if (server !== 'allot') {
  // A full control plane creates objects in each namespace, which takes hours here, and the quotas wait for it.
  await using real = await startRealServer({ controllers: 'namespace,resourcequota,garbagecollector' })
  await measureServer('real', real)
}
