// The heap of the operator before and after very many pools with their claims have come and gone: `allot run` runs as a process of
// its own against `allot up`, a batch of pools at a time. The heap is looked at when all garbage is collected. The first batch comes
// and goes before the first look, so that what is compiled and cached once is not taken for what pools leave. One JSON line per figure.
//
//   node bench/pools-come-and-go.ts [pools] [claims of each] [pools of a batch]
import { setTimeout as sleep } from 'node:timers/promises'
import { resourcePoolClaim } from '../src/systems/resource-pool/api/claim.ts'
import { resourcePool } from '../src/systems/resource-pool/api/resource-pool.ts'
import type { KubeClient } from '../src/kube/client/kube-client.ts'
import { isNotFound } from '../src/machinery/status.ts'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'
import { builtProgram } from '../test/built-program.ts'
import { NAMESPACES } from '../test/kube/core-kinds.ts'
import { claimsIn } from '../test/operator/pool-objects.ts'
import { launch, startAllot } from '../test/start-allot.ts'
import { openBenchClient } from './bench-client.ts'
import { ProcessHeap } from './process/process-heap.ts'

const [pools = 1500, claims = 200, batch = 25] = process.argv.slice(2, 5).map(Number)
const WRITERS = 16
/** How often the heap is looked at on the way. */
const LOOKS = 6
const PATIENCE_MS = 600_000
/** Longer than the recorder of Events remembers those that it may have to count as a series (kube/events/event-recorder.ts). */
const REMEMBERED_MS = Number(process.env['BENCH_QUIET_SECONDS'] ?? '420') * 1000

const print = (figure: string, value: number, unit: string): void =>
  console.log(JSON.stringify({ bench: 'pools-come-and-go', figure, value: Math.round(value * 1000) / 1000, unit }))

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about`)
    await sleep(500)
  }
}

/** Makes a pool with its namespace and its claims; each claim has an amount that no other has. */
async function come(client: KubeClient, at: number): Promise<void> {
  const name = nameOf(at)
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { pool: name } } })
  await client.create(resourcePool, {
    apiVersion: resourcePool.apiVersion,
    kind: resourcePool.kind,
    metadata: { name },
    spec: { selectors: [{ matchLabels: { pool: name } }], quota: { hard: { 'requests.cpu': '1M' } } },
  })
  const amounts = Array.from({ length: claims }, (_, claim) => at * claims + claim + 1)
  // At the same time, as a rollout makes them: then a pool gives many their amounts at once.
  await inParallel(amounts, WRITERS, async (amount) => {
    await client.create(resourcePoolClaim, {
      apiVersion: resourcePoolClaim.apiVersion,
      kind: resourcePoolClaim.kind,
      metadata: { name: `claim-${amount}`, namespace: name },
      spec: { pool: name, claim: { 'requests.cpu': `${amount}m` } },
    })
  })
}

const nameOf = (at: number): string => `pool-${at}`

/** Resolves when each claim of a pool has its amount and says whether it is used. */
async function settled(client: KubeClient, at: number): Promise<void> {
  const name = nameOf(at)
  await until(`the claims of ${name}`, async () => {
    const { status } = resourcePool.read(await client.get(resourcePool, { namespace: '', name }))
    if (status?.claimCount !== claims) return false
    const { items } = await client.list(resourcePoolClaim, { namespace: name })
    return items.every((one) => resourcePoolClaim.read(one).status?.conditions.some(({ type }) => type === 'Bound'))
  })
}

interface Server {
  readonly call: Awaited<ReturnType<typeof startAllot>>['call']
}

async function go({ call }: Server, client: KubeClient, at: number): Promise<void> {
  const name = nameOf(at)
  await call(claimsIn(name), { method: 'DELETE' })
  await until(`no claims of ${name}`, async () => {
    const { status } = resourcePool.read(await client.get(resourcePool, { namespace: '', name }))
    return status?.claimCount === 0
  })
  await client.delete(resourcePool, { namespace: '', name })
  await client.delete(NAMESPACES, { namespace: '', name })
  await until(`no namespace ${name}`, async () => {
    try {
      await client.get(NAMESPACES, { namespace: '', name })
      return false
    } catch (error) {
      if (isNotFound(error)) return true
      throw error
    }
  })
}

async function comeAndGo(server: Server, client: KubeClient, first: number, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, at) => first + at)
  for (const at of all) await come(client, at)
  await inParallel(all, WRITERS, (at) => settled(client, at))
  await inParallel(all, WRITERS, (at) => go(server, client, at))
}

await using allot = await startAllot({ inMemory: true })
const { client, close } = openBenchClient('bench', allot)
const operator = launch(
  ['run', '--kubeconfig', allot.kubeconfig, '--host', '127.0.0.1', '--qps=10000', '--burst=20000', '--log-level=warn'],
  builtProgram(),
  { ...process.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' },
)
await until('an operator', async () => operator.output().split('\n').length > 2)
const heap = await ProcessHeap.open(operator.logs())
const mib = async (): Promise<number> => (await heap.usedBytes()) / 2 ** 20

print('heap of the operator when it is ready', await mib(), 'MiB')
await comeAndGo(allot, client, 0, batch)
await sleep(REMEMBERED_MS)
const before = await mib()
print(`heap after the first ${batch} pools of ${claims} claims came and went`, before, 'MiB')
const began = performance.now()
const looks = Math.ceil(pools / batch / LOOKS) * batch
let after = before
for (let gone = 0; gone < pools; gone += batch) {
  const count = Math.min(batch, pools - gone)
  await comeAndGo(allot, client, batch + gone, count)
  if ((gone + count) % looks !== 0 && gone + count < pools) continue
  after = await mib()
  print(`heap after ${gone + count} more of them`, after, 'MiB')
}
await sleep(REMEMBERED_MS)
after = await mib()
print('heap once their Events are forgotten', after, 'MiB')
print('of the heap before these', after / before, '')
print('how long these took', (performance.now() - began) / 1000, 's')
heap.close()
operator.child.kill('SIGTERM')
await operator.exited
await close()
