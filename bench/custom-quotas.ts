// Many custom quotas on many kinds: how long until all of them are ready, from the first one created beside a running operator and
// from the start of another operator, and what they cost while nothing happens. `allot run` runs as a process of its own, against
// `allot up --no-operator` and against a real API server. One JSON line per figure.
//
//   KUBEBUILDER_ASSETS=... node bench/custom-quotas.ts [quotas] [kinds] [allot|real]
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { conditionOf } from '../src/api/condition.ts'
import { customQuota } from '../src/systems/custom-quota/api/custom-quota.ts'
import type { KubeClient, ResourceKind } from '../src/kube/client/kube-client.ts'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'
import { assets, startRealServer } from '../test/differential/real-server.ts'
import { NAMESPACES } from '../test/kube/core-kinds.ts'
import { type OperatorProcess, startOperator } from '../test/operator/operated.ts'
import { startAllot } from '../test/start-allot.ts'
import { openBenchClient } from './bench-client.ts'

const [quotas = 1000, kinds = 200] = process.argv.slice(2, 4).map(Number)
const [, , , , server] = process.argv
/** A namespace may have 64. */
const QUOTAS_OF_A_NAMESPACE = 50
const OBJECTS_OF_A_KIND = 5
const WRITERS = 16
const IDLE_MS = 20_000
/** For so long the operator gives memory back after work. */
const SETTLING_MS = 30_000
const PATIENCE_MS = 200_000
const GROUP = 'bench.allot.test'

const DEFINITIONS: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number)
const kindOf = (number: number): ResourceKind => ({
  group: GROUP,
  version: 'v1',
  resource: `things${number}`,
  kind: `Thing${number}`,
  namespaced: true,
})
const namespaceOf = (quota: number): string => `bench-${Math.floor(quota / QUOTAS_OF_A_NAMESPACE)}`

/** User and system time of a process in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentMiB = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

async function makeKinds(client: KubeClient): Promise<void> {
  await inParallel(numbers(Math.ceil(quotas / QUOTAS_OF_A_NAMESPACE)), WRITERS, async (number) => {
    const metadata = { name: `bench-${number}` }
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
  })
  await inParallel(numbers(kinds), WRITERS, async (number) => {
    const { resource, kind } = kindOf(number)
    await client.create(DEFINITIONS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${resource}.${GROUP}` },
      spec: {
        group: GROUP,
        names: { kind, listKind: `${kind}List`, plural: resource, singular: kind.toLowerCase() },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    })
  })
  await inParallel(numbers(kinds), WRITERS, async (number) => {
    const kind = kindOf(number)
    for (const at of numbers(OBJECTS_OF_A_KIND)) await createWhenServed(client, kind, at)
  })
}

/** A definition is served a moment after it is stored, and a write is decided a moment after the operator has started. */
async function createWhenServed(client: KubeClient, kind: ResourceKind, at: number): Promise<void> {
  const object = {
    apiVersion: `${GROUP}/v1`,
    kind: kind.kind,
    metadata: { namespace: 'bench-0', name: `thing-${at}` },
    spec: { size: at + 1 },
  }
  const deadline = performance.now() + PATIENCE_MS
  for (;;)
    try {
      await client.create(kind, object)
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(100)
    }
}

async function makeQuotas(client: KubeClient): Promise<void> {
  await inParallel(numbers(quotas), WRITERS, async (number) => {
    await client.create(customQuota, {
      apiVersion: customQuota.apiVersion,
      kind: customQuota.kind,
      metadata: { namespace: namespaceOf(number), name: `quota-${number}` },
      spec: {
        limit: '100',
        sources: [{ apiVersion: `${GROUP}/v1`, kind: kindOf(number % kinds).kind, op: 'add', path: '.spec.size' }],
      },
    })
  })
}

/** Resolves with the milliseconds until every quota is ready. */
async function readyAfter(client: KubeClient, began: number): Promise<number> {
  for (;;) {
    const { items } = await client.list(customQuota)
    const ready = items.map((item) => customQuota.read(item)).filter(({ status }) => isReady(status?.conditions))
    if (ready.length === quotas) return performance.now() - began
    if (performance.now() - began > PATIENCE_MS) throw new Error(`${ready.length} of ${quotas} quotas are ready`)
    await sleep(250)
  }
}

const isReady = (conditions: Parameters<typeof conditionOf>[0]): boolean =>
  conditionOf(conditions, 'Ready')?.status === 'True'

async function idle(print: Print, what: string, { pid }: OperatorProcess): Promise<void> {
  await sleep(SETTLING_MS)
  const began = cpuMs(pid)
  await sleep(IDLE_MS)
  print(`${what}: share of a core while idle`, ((cpuMs(pid) - began) / IDLE_MS) * 100, '%')
  print(`${what}: memory of the operator`, residentMiB(pid), 'MiB')
}

type Print = (figure: string, value: number, unit: string) => void

async function measure(name: string, client: KubeClient, kubeconfig: string): Promise<void> {
  const print: Print = (figure, value, unit) =>
    console.log(
      JSON.stringify({ bench: 'custom-quotas', server: name, figure, value: Math.round(value * 100) / 100, unit }),
    )
  const start = (): Promise<OperatorProcess> => startOperator(kubeconfig, ['--log-level', 'warn'])
  await makeKinds(client)
  {
    await using operator = await start()
    const began = performance.now()
    await makeQuotas(client)
    print(`${quotas} quotas on ${kinds} kinds created`, (performance.now() - began) / 1000, 's')
    print('all of them ready, from the first one created', (await readyAfter(client, began)) / 1000, 's')
    print('CPU of the operator for that, its start included', cpuMs(operator.pid) / 1000, 's')
    await idle(print, 'after that', operator)
  }
  const began = performance.now()
  await using operator = await start()
  // A write that a quota concerns is decided as soon as the operator has counted the quota.
  for (const number of numbers(kinds)) await createWhenServed(client, kindOf(number), OBJECTS_OF_A_KIND)
  print('a write of each kind decided, from the start of the operator', (performance.now() - began) / 1000, 's')
  await idle(print, 'started anew', operator)
}

interface Measured {
  readonly kubeconfig: string
  readonly url: string
  readonly token: string
}

async function measureServer(name: string, measured: Measured): Promise<void> {
  const { kubeconfig } = measured
  const { client, close } = openBenchClient(name, measured)
  await measure(name, client, kubeconfig)
  await close()
}

if (server !== 'real') {
  await using allot = await startAllot()
  await measureServer('allot up', allot)
}
if (assets === undefined)
  console.error('KUBEBUILDER_ASSETS is not set (see scripts/real-apiserver): allot up is measured alone')
else if (server !== 'allot') {
  await using real = await startRealServer({ controllers: 'namespace,garbagecollector' })
  await measureServer('real', real)
}
