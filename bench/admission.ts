// The cost of strict custom quotas: pods created per second on real API servers without a webhook, with a webhook that only allows and
// with allot, and on `allot up` with and without a quota, over 1 and 64 connections. Every server runs all the time and the sides
// take short turns, so that what else the machine does falls on all of them. allot has servers of its own, since Kubernetes 1.20
// asks its webhook about every namespace. A figure is the median of its turns, a ratio that of the quotients within each turn. One
// JSON line per figure.
//
//   KUBEBUILDER_ASSETS=... BENCH_SECONDS=6 node bench/admission.ts [sides, as one,three]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assets, startRealServer, type StartedServer } from '../test/differential/real-server.ts'
import { type BareServer, over } from '../test/operator/operated.ts'
import { startAllot } from '../test/start-allot.ts'
import { allowAll } from './admission/webhooks.ts'
import {
  furnish,
  ledgerWrites,
  makeGlobalQuota,
  makeMixedQuota,
  makeQuota,
  reserve,
  settled,
  standing,
  startReplicas,
} from './admission/places.ts'
import { createPods, type Reached } from './load.ts'
import { cpuOf, median, quotient, round, summary } from './pod-creation.ts'

/** How long each figure is measured, in all turns together. */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '6')
const TURNS = 10
const WARM_UP_SECONDS = 1
const CONNECTIONS = [1, 64]
const STANDING = 1000
const STANDING_NAMESPACES = 5
/** Only those of namespaces, so that idle servers stay idle. */
const CONTROLLERS = 'namespace,serviceaccount,serviceaccount-token'

const print = (line: object): void => console.log(JSON.stringify({ bench: 'admission', ...line }))

/** Where pods are created, and what stands in the way. */
interface Side {
  readonly name: string
  readonly server: BareServer
  /** All processes that work for it, this one with its clients among them. */
  readonly pids: readonly number[]
  /** The side that it is compared with. */
  readonly beside?: string
  /** Does a request write a ledger? */
  readonly isCharged?: boolean
}

const asked = process.argv[2]?.split(',')
const isAsked = (...names: readonly string[]): boolean =>
  asked === undefined || names.some((name) => asked.includes(name))
const sides: Side[] = []
await using stack = new AsyncDisposableStack()
const real = async (): Promise<StartedServer & BareServer> =>
  stack.use(over(await startRealServer({ controllers: CONTROLLERS })))
const pidsOf = ({ directory }: StartedServer): readonly number[] =>
  ['apiserver', 'etcd'].map((name) => Number(readFileSync(join(directory, `${name}.pid`), 'utf8')))

if (assets === undefined)
  console.error('KUBEBUILDER_ASSETS is not set (see scripts/real-apiserver): only allot up is measured')
else {
  const bare = await real()
  for (const name of ['none', 'allow-all']) await furnish(bare, name)
  const { pid } = stack.use(await allowAll(bare, 'allow-all'))
  sides.push({ name: 'none', server: bare, pids: pidsOf(bare) })
  sides.push({ name: 'allow-all', server: bare, beside: 'none', pids: [...pidsOf(bare), pid] })
  if (isAsked('one', 'mixed', 'several', 'standing')) {
    const server = await real()
    const replicas = stack.use(await startReplicas(server, 1, ['--apiserver-request-timeout=30m']))
    const pids = [...pidsOf(server), ...replicas.all.map((replica) => replica.pid)]
    const charged = { server, pids, beside: 'allow-all', isCharged: true }
    if (isAsked('one')) {
      await furnish(server, 'one')
      await makeQuota(server, 'one')
      sides.push({ name: 'one', ...charged })
    }
    if (isAsked('mixed')) {
      await furnish(server, 'mixed')
      await makeMixedQuota(server, 'mixed')
      sides.push({ name: 'mixed', ...charged })
    }
    if (isAsked('several')) {
      await furnish(server, 'several')
      await makeQuota(server, 'several')
      for (const name of ['several-a', 'several-b']) await makeGlobalQuota(server, name, 'several')
      sides.push({ name: 'several', ...charged })
    }
    if (isAsked('standing')) {
      const others = Array.from({ length: STANDING_NAMESPACES }, (_, index) => `standing-${index}`)
      for (const name of ['standing', ...others]) await furnish(server, name, 'standing')
      await makeGlobalQuota(server, 'standing', 'standing')
      const [replica] = replicas.all
      if (replica !== undefined) await reserve(server, replica, others, STANDING)
      sides.push({ name: 'standing', ...charged })
      print({ side: 'standing', figure: 'reservations that stand', count: await standing(server, 'standing') })
    }
  }
  if (isAsked('three')) {
    const server = await real()
    const replicas = stack.use(await startReplicas(server, 3))
    const pids = [...pidsOf(server), ...replicas.all.map(({ pid }) => pid)]
    await furnish(server, 'three')
    await makeQuota(server, 'three')
    sides.push({ name: 'three', server, pids, beside: 'allow-all', isCharged: true })
  }
}
if (isAsked('up')) {
  const allot = await startAllot({ operator: true })
  stack.defer(async () => void (await allot.stop()))
  const server = stack.use(over({ ...allot, [Symbol.asyncDispose]: async () => undefined }))
  await furnish(server, 'up-none')
  await furnish(server, 'up')
  await makeQuota(server, 'up')
  const pids = [allot.pid]
  sides.push({ name: 'up-none', server, pids }, { name: 'up', server, pids, beside: 'up-none' })
}

const figures = CONNECTIONS.flatMap((connections) => sides.map((side) => ({ ...side, connections })))
type Figure = (typeof figures)[number]
const keyOf = (side: string, connections: number): string => `${side} ${connections}`
const turns = new Map<string, Reached[]>()
const refused = new Map<string, number>()
const writes = new Map<string, { written: number; conflicts: number; requests: number }>()

async function run({ name, server, pids, connections, isCharged }: Figure, seconds: number): Promise<void> {
  const key = keyOf(name, connections)
  const before = isCharged === true ? await ledgerWrites(server) : undefined
  const reached = await createPods(
    { ...server, pid: [...pids, process.pid] },
    {
      namespace: name,
      connections,
      seconds,
      refused: (code, text) => {
        refused.set(key, (refused.get(key) ?? 0) + 1)
        if (refused.get(key) === 1) console.error(`${key}: ${code} ${text}`)
      },
    },
  )
  turns.set(key, [...(turns.get(key) ?? []), reached])
  if (before === undefined) return
  const after = await ledgerWrites(server)
  const sum = writes.get(key) ?? { written: 0, conflicts: 0, requests: 0 }
  writes.set(key, {
    written: sum.written + after.written - before.written,
    conflicts: sum.conflicts + after.conflicts - before.conflicts,
    requests: sum.requests + Math.round(reached.perSecond * seconds),
  })
}

for (const figure of figures) await run(figure, WARM_UP_SECONDS)
turns.clear()
writes.clear()
for (let turn = 0; turn < TURNS; turn++)
  for (const figure of turn % 2 === 0 ? figures : figures.toReversed()) await run(figure, SECONDS / TURNS)
for (const server of new Set(sides.filter(({ isCharged }) => isCharged).map(({ server }) => server)))
  await settled(server, ['standing'])

const turnsOf = (side: string, connections: number): readonly Reached[] => turns.get(keyOf(side, connections)) ?? []
for (const { name, connections, pids } of figures)
  print({
    side: name,
    connections,
    figure: 'pods created per second',
    ...summary(turnsOf(name, connections)),
    cpuOfThousand: cpuOf(turnsOf(name, connections)).median,
    // The API server, etcd, then the webhooks, then the client.
    cpuOfEach: pids.map((_, index) =>
      Math.round(median(turnsOf(name, connections).map((turn) => turn.cpuOf[index] ?? NaN))),
    ),
    connectionsOfEach: round(median(turnsOf(name, connections).map(({ accepted }) => accepted))),
  })
for (const { name, connections, beside, isCharged } of figures) {
  if (beside === undefined) continue
  const [ofs, by] = [turnsOf(name, connections), turnsOf(beside, connections)]
  // The speed that is left if only the CPU limits it: on a busy machine the more certain figure.
  const cpu = cpuOf(by).median / cpuOf(ofs).median
  const p99 = median(ofs.map((turn, index) => turn.p99 / (by[index]?.p99 ?? NaN)))
  print({
    side: name,
    beside,
    connections,
    figure: 'part of the speed',
    ratio: quotient(ofs, by),
    byCpu: round(cpu),
    p99: round(p99),
  })
  const { written, conflicts, requests } = writes.get(keyOf(name, connections)) ?? {
    written: 0,
    conflicts: 0,
    requests: 0,
  }
  if (isCharged === true)
    print({
      side: name,
      connections,
      figure: 'requests for each write of a ledger',
      ratio: round(requests / written),
      conflicts: round(conflicts / (written + conflicts)),
    })
}
for (const { name, connections } of figures)
  print({ side: name, connections, figure: 'refused by mistake', count: refused.get(keyOf(name, connections)) ?? 0 })
