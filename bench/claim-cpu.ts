// The CPU of `allot run` and of its API server for one claim in a small pool, of this checkout beside an older one: both run at once
// and take turns, each turn with an operator that was just started. `bench/operator.ts` measures the same of one checkout among other
// figures. One JSON line per figure.
//
//   git worktree add ../before REVISION && (cd ../before && make install)
//   BENCH_TURNS=5 node bench/claim-cpu.ts ../before
import { setTimeout as sleep } from 'node:timers/promises'
import { resourcePoolClaim } from '../src/systems/resource-pool/api/claim.ts'
import { resourcePool } from '../src/systems/resource-pool/api/resource-pool.ts'
import { type ResourceQuota } from '../src/kinds/resource-quota/resource-quota.ts'
import type { KubeClient } from '../src/kube/client/kube-client.ts'
import { coreKind, NAMESPACES } from '../test/kube/core-kinds.ts'
import { type Allot, launch, startAllot } from '../test/start-allot.ts'
import { openBenchClient } from './bench-client.ts'
import { median, round } from './pod-creation.ts'
import { cpuMs } from './process/process-cpu.ts'
import { type Checkout, twoCheckouts } from './process/two-checkouts.ts'

const TURNS = Number(process.env['BENCH_TURNS'] ?? '5')
const CLAIMS = Number(process.env['BENCH_CLAIMS'] ?? '51')
const SIDES = twoCheckouts()

/** Milliseconds of CPU for one claim. */
interface Cost {
  readonly operator: number
  readonly server: number
}

const QUOTAS = coreKind('resourcequotas', 'ResourceQuota')
const NAMESPACE = 'small'
const HARD = { 'requests.cpu': '100k', 'requests.memory': '1Pi' }
const POLL_MS = 100
/** Work after the last report, such as an Event, still counts. */
const AFTERMATH_MS = 500

async function claimOne(client: KubeClient, name: string): Promise<void> {
  await client.create(resourcePoolClaim, {
    apiVersion: resourcePoolClaim.apiVersion,
    kind: resourcePoolClaim.kind,
    metadata: { namespace: NAMESPACE, name },
    spec: { pool: NAMESPACE, claim: { 'requests.cpu': '10m', 'requests.memory': '16Mi' } },
  })
}

const isBoundKnown = async (client: KubeClient, name: string): Promise<boolean> =>
  resourcePoolClaim
    .read(await client.get(resourcePoolClaim, { namespace: NAMESPACE, name }))
    .status?.conditions.some(({ type }) => type === 'Bound') === true

const enforced = (quota: object): string => JSON.stringify((quota as ResourceQuota).status?.hard ?? {})

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(POLL_MS)
}

/** Creates claims one after another, and waits for each until admission enforces the raised quota and the claim says so. */
async function claimAll(client: KubeClient): Promise<void> {
  const { resourceVersion } = await client.list(QUOTAS, {})
  const stop = new AbortController()
  let seen: (hard: string) => void = () => {}
  const watching = (async () => {
    for await (const event of client.watch(QUOTAS, { resourceVersion, signal: stop.signal }))
      if (event.type !== 'BOOKMARK') seen(enforced(event.object))
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  for (let n = 0; n < CLAIMS; n++) {
    const first = enforced(await client.get(QUOTAS, { namespace: NAMESPACE, name: `capsule-pool-${NAMESPACE}` }))
    await new Promise<void>((done, failed) => {
      seen = (hard) => {
        if (hard !== first) done()
      }
      claimOne(client, `late-${n}`).catch(failed)
    })
    await until(() => isBoundKnown(client, `late-${n}`))
  }
  stop.abort()
  await watching
}

/** Older programs know fewer flags than tests give. */
async function startOperator(kubeconfig: string, program: string): Promise<{ readonly pid: number } & AsyncDisposable> {
  const flags = ['run', '--kubeconfig', kubeconfig, '--host', '127.0.0.1', '--log-level', 'warn']
  const { child, output, logs, exited } = launch(flags, program)
  const ended = exited.then((code) => {
    throw new Error(`allot run ended with ${code}\n${output()}${logs()}`)
  })
  ended.catch(() => undefined)
  // Behind the line that it starts with stands the one that says where its webhooks are.
  await Promise.race([until(async () => output().split('\n').length > 2), ended])
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      // So it keeps its compiled modules for the next start.
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function measure(allot: Allot, program: string): Promise<Cost> {
  const { client, close } = openBenchClient('allot up', allot)
  await using operator = await startOperator(allot.kubeconfig, program)
  await client.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { bench: NAMESPACE } },
  })
  await client.create(resourcePool, {
    apiVersion: resourcePool.apiVersion,
    kind: resourcePool.kind,
    metadata: { name: NAMESPACE },
    spec: { selectors: [{ matchLabels: { bench: NAMESPACE } }], quota: { hard: HARD } },
  })
  await claimOne(client, 'first')
  await until(() => isBoundKnown(client, 'first'))
  const before = { operator: cpuMs(operator.pid), server: cpuMs(allot.pid) }
  await claimAll(client)
  await sleep(AFTERMATH_MS)
  const cost = {
    operator: (cpuMs(operator.pid) - before.operator) / CLAIMS,
    server: (cpuMs(allot.pid) - before.server) / CLAIMS,
  }
  await close()
  return cost
}

const costs: Record<Checkout['name'], Cost[]> = { before: [], after: [] }
// The first turn compiles the modules of both, and does not count.
for (let turn = -1; turn < TURNS; turn++)
  for (const { name, program } of turn % 2 === 0 ? SIDES : SIDES.toReversed()) {
    await using allot = await startAllot({ program })
    const cost = await measure(allot, program)
    if (turn >= 0) costs[name].push(cost)
  }
for (const process of ['operator', 'server'] as const) {
  const of = (name: Checkout['name']): readonly number[] => costs[name].map((cost) => cost[process])
  const [before, after] = [of('before'), of('after')]
  const ratios = after.map((cost, turn) => cost / (before[turn] ?? NaN))
  const summary = (values: readonly number[]): object => ({
    median: round(median(values)),
    least: round(Math.min(...values)),
    all: values.map(round),
  })
  console.log(
    JSON.stringify({
      bench: 'claim-cpu',
      figure: `CPU of the ${process} for one claim`,
      unit: 'ms',
      before: summary(before),
      after: summary(after),
      ratio: round(median(ratios)),
    }),
  )
}
