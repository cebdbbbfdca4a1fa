// What open pages of the dashboard cost the server: `allot up` with many ResourceQuotas, of which some change each second, first without a page and
// then with pages. A page is one event stream, and what it shows is read again after changes, at most once a second. Owners look at their own
// namespace, and administrators at the quotas of all. CPU time of all threads of the server's process; one JSON line per figure.
//
//   BENCH_SECONDS=20 node bench/dashboard.ts [quotas] [changes a second] [pages] [whose]
import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'
import { makeOwner, type Owner } from '../test/dashboard/owners.ts'
import { over } from '../test/operator/operated.ts'
import { startAllot } from '../test/start-allot.ts'
import { NAMESPACES } from '../test/kube/core-kinds.ts'
import { openBenchClient } from './bench-client.ts'
import { Page, type View } from './dashboard/page.ts'
import { cpuMs } from './process/process-cpu.ts'

const [quotas = 5000, changes = 100, pages = 10] = process.argv.slice(2, 5).map(Number)
const [, , , , , whose] = process.argv
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 20)
const QUOTAS_OF_A_NAMESPACE = 10
const WRITERS = 16
const SETTLING_MS = 5_000
/** Reads of the pages before may hold up others for so long. */
const FORGETTING_MS = 35_000
const QUOTAS = { group: '', version: 'v1', resource: 'resourcequotas', kind: 'ResourceQuota', namespaced: true }

const CLUSTER_ROLE_BINDINGS = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
}

await using stack = new AsyncDisposableStack()
const allot = await startAllot({ operator: true })
stack.defer(async () => void (await allot.stop()))
const server = over(allot)
const [, url = ''] = /dashboard on (http:\S+)/.exec(allot.output()) ?? []
const { client, close } = openBenchClient('allot up', allot)
stack.defer(close)

const namespaceOf = (quota: number): string => `bench-${Math.floor(quota / QUOTAS_OF_A_NAMESPACE)}`
const nameOf = (quota: number): string => `quota-${quota % QUOTAS_OF_A_NAMESPACE}`

const owners: Owner[] = []
for (let at = 0; at < pages; at++) owners.push(await makeOwner(server, namespaceOf(at * QUOTAS_OF_A_NAMESPACE)))
const namespaces = Array.from({ length: Math.ceil(quotas / QUOTAS_OF_A_NAMESPACE) - pages }, (_, at) => at + pages)
await inParallel(namespaces, WRITERS, async (at) => {
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `bench-${at}` } })
})
await inParallel([...Array(quotas).keys()], WRITERS, async (quota) => {
  await client.create(QUOTAS, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: namespaceOf(quota), name: nameOf(quota) },
    spec: { hard: { pods: '10', 'requests.cpu': '4', 'requests.memory': '8Gi', 'limits.memory': '16Gi' } },
  })
})

/** Lets an owner see all namespaces. Gives its token. */
async function administrator({ namespace, token }: Owner): Promise<string> {
  await client.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `administrator-of-${namespace}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'owner' }],
  })
  return token
}

/** Changes of all measurements, so that none writes what stands there already. */
let written = 0

/** Changes quotas at the rate until it is stopped: one after the other, in all namespaces. */
async function change(signal: AbortSignal): Promise<number> {
  const began = performance.now()
  let changed = 0
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - began) / 1000) * changes)
    const batch = Array.from({ length: Math.min(due - changed, 100) }, () => written++)
    await inParallel(batch, WRITERS, async (at) => {
      // A stride without a divisor of the number, so that changes are spread.
      const quota = (at * 7919) % quotas
      const body = { spec: { hard: { pods: String(10 + Math.floor(at / quotas) + (at % 7)) } } }
      await client.patch(QUOTAS, { namespace: namespaceOf(quota), name: nameOf(quota) }, { type: 'merge', body })
    })
    changed += batch.length
    await sleep(20)
  }
  return changed
}

function print(figure: string, value: number, unit: string): void {
  console.log(JSON.stringify({ bench: 'dashboard', figure, value: Math.round(value * 100) / 100, unit }))
}

/** The share of a core that the server takes while quotas change and these pages are open. */
async function shareWith(what: string, open: readonly Page[]): Promise<number> {
  const stop = new AbortController()
  const changing = change(stop.signal)
  await sleep(SETTLING_MS)
  const [before, read, from] = [cpuMs(allot.pid), sumOf(open), performance.now()]
  await sleep(SECONDS * 1000)
  const ms = performance.now() - from
  const share = ((cpuMs(allot.pid) - before) / ms) * 100
  const seconds = ms / 1000
  const { reads, bytes, refused } = sumOf(open)
  stop.abort()
  const changed = (await changing) / (seconds + SETTLING_MS / 1000)
  print(`${what}: share of a core`, share, '%')
  print(`${what}: changes`, changed, '1/s')
  if (open.length > 0) {
    print(`${what}: reads of all pages`, (reads - read.reads) / seconds, '1/s')
    print(`${what}: bytes that they got`, (bytes - read.bytes) / seconds / 1024, 'KiB/s')
    print(`${what}: reads that were refused`, refused - read.refused, '')
  }
  return share
}

const sumOf = (open: readonly Page[]) => ({
  reads: open.reduce((sum, page) => sum + page.reads, 0),
  bytes: open.reduce((sum, page) => sum + page.bytes, 0),
  refused: open.reduce((sum, page) => sum + page.refused, 0),
})

const alone = await shareWith('no page', [])
const views: Readonly<Record<string, () => Promise<readonly View[]>>> = {
  owners: async () => owners,
  'one administrator': async () => Array.from({ length: pages }, () => ({ token: allot.token, namespace: '' })),
  administrators: () =>
    Promise.all(owners.map(async (owner) => ({ token: await administrator(owner), namespace: '' }))),
}
for (const [who, of] of Object.entries(views).filter(([name]) => whose === undefined || whose === name)) {
  const open = await Promise.all((await of()).map((one) => Page.open(url, one)))
  const share = await shareWith(`${pages} pages of ${who}`, open)
  await Promise.all(open.map((page) => page.close()))
  print(`${pages} pages of ${who}: share of a core beyond that without a page`, share - alone, '%')
  await sleep(FORGETTING_MS)
}
