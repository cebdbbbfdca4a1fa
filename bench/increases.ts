// Quota increases through the running `allot up`: from its start, with namespaces and their increases in the store and nothing
// generated, until all quotas are there and every increase says what it contributes; and from one increase's change until its
// quota is enforced. One JSON line per figure.
//
//   node bench/increases.ts [namespaces] [increases of each]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quotaIncrease } from '../src/systems/quota-increase/api/quota-increase.ts'
import { isResourceQuota } from '../src/kinds/resource-quota/resource-quota.ts'
import type { KubeClient } from '../src/kube/client/kube-client.ts'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'
import { coreKind, NAMESPACES } from '../test/kube/core-kinds.ts'
import { openBenchClient } from './bench-client.ts'
import { cpuMs } from './process/process-cpu.ts'
import { type Allot, startAllot, temporaryDirectory } from '../test/start-allot.ts'

const [namespaces = 10_000, increases = 5] = process.argv.slice(2, 4).map(Number)
const CHANGES = 101
const WRITERS = 16
const PATIENCE_MS = 3_600_000
const SECRETS = 'count/secrets'
const QUOTAS = coreKind('resourcequotas', 'ResourceQuota')

const print = (figure: string, value: number, unit: string): void =>
  console.log(JSON.stringify({ bench: 'increases', figure, value: Math.round(value * 100) / 100, unit }))

const names = Array.from({ length: namespaces }, (_, at) => `namespace-${at}`)

async function fill(client: KubeClient): Promise<void> {
  await inParallel(names, WRITERS, async (name) => {
    await client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { bench: 'yes' } },
    })
    for (let at = 0; at < increases; at++)
      await client.create(quotaIncrease, {
        apiVersion: quotaIncrease.apiVersion,
        kind: quotaIncrease.kind,
        metadata: { name: `increase-${at}`, namespace: name },
        spec: { hard: { [SECRETS]: String(at + 1), 'requests.memory': '512Mi' } },
      })
  })
}

/** How many increases have the state, as the metrics of the operator count them. */
async function countOf(allot: Allot, state: string): Promise<number> {
  const port = /\/metrics on (?:port )?(\d+)/.exec(allot.output())?.[1] ?? ''
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${allot.token}` },
  })
  const lines = (await answer.text()).split('\n')
  const ofState = lines.filter((line) => line.startsWith('allot_quota_increases{') && line.includes(`state="${state}"`))
  return ofState.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function converged(allot: Allot): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while ((await countOf(allot, 'effective')) < namespaces * increases) {
    if (performance.now() > deadline) throw new Error('the increases did not become effective')
    await sleep(1000)
  }
}

/** Every quota is there and right. */
async function check(client: KubeClient): Promise<void> {
  const { items } = await client.list(QUOTAS, { labelSelector: 'quota.openmcp.cloud/quota-definition=base' })
  const sum = String(10 + (increases * (increases + 1)) / 2)
  const right = items.filter((quota) => isResourceQuota(quota) && quota.spec?.hard?.[SECRETS] === sum)
  if (right.length !== namespaces) throw new Error(`${right.length} of ${namespaces} quotas are right`)
}

/** Changes one increase after another, each in another namespace, and waits until its quota is enforced. */
async function changes(client: KubeClient): Promise<void> {
  const took: number[] = []
  for (let at = 0; at < CHANGES; at++) {
    const namespace = names[(at * 97) % namespaces] ?? ''
    const began = performance.now()
    const body = { spec: { hard: { [SECRETS]: String(1000 + at) } } }
    await client.patch(quotaIncrease, { namespace, name: 'increase-0' }, { type: 'merge', body })
    const wanted = String(1000 + at + 10 + (increases * (increases + 1)) / 2 - 1)
    for (;;) {
      const quota = await client.get(QUOTAS, { namespace, name: 'base' })
      if (isResourceQuota(quota) && quota.status?.hard?.[SECRETS] === wanted) break
      await sleep(1)
    }
    took.push(performance.now() - began)
  }
  const sorted = took.toSorted((a, b) => a - b)
  print('one increase changed until its quota is enforced, median', sorted[CHANGES >> 1] ?? NaN, 'ms')
  print('one increase changed until its quota is enforced, 99 of 100', sorted[Math.floor(CHANGES * 0.99)] ?? NaN, 'ms')
}

const dataDir = temporaryDirectory()
const file = join(dataDir, 'definitions.yaml')
writeFileSync(
  file,
  JSON.stringify({
    quotas: [
      {
        name: 'base',
        selector: { matchLabels: { bench: 'yes' } },
        mode: 'cumulative',
        template: { spec: { hard: { [SECRETS]: '10', 'requests.memory': '1Gi' } } },
      },
    ],
  }),
)
{
  await using allot = await startAllot({ operator: true, dataDir })
  const began = performance.now()
  await fill(openBenchClient('bench', allot).client)
  print(`${namespaces} namespaces with ${increases} increases each were made`, (performance.now() - began) / 1000, 's')
}
{
  const began = performance.now()
  await using allot = await startAllot({ operator: true, dataDir, args: ['--quota-definitions', file] })
  print('start until ready', (performance.now() - began) / 1000, 's')
  print('CPU time of all threads until ready', cpuMs(allot.pid) / 1000, 's')
  await converged(allot)
  print('start until all quotas and effects are there', (performance.now() - began) / 1000, 's')
  print('CPU time of all threads until then', cpuMs(allot.pid) / 1000, 's')
  const client = openBenchClient('bench', allot).client
  await check(client)
  await changes(client)
}
process.exit(0)
