// Pods created per second on `allot up` with durable storage and on a real control plane (etcd, kube-apiserver,
// kube-controller-manager), without a quota, with one, and with five of which two are scoped, all counting the pods, over 1
// and 64 connections. Both servers run all the time and take short turns, so that what else the machine does falls on both
// sides; each figure is the median of its turns, and each comparison that of the quotients within one turn. One JSON line
// per figure.
//
//   KUBEBUILDER_ASSETS=... BENCH_SECONDS=12 node bench/apiserver.ts
import { setTimeout as sleep } from 'node:timers/promises'
import { assets, startRealServer } from '../test/differential/real-server.ts'
import { startAllot } from '../test/start-allot.ts'
import { createPods, podNamed, type Reached, type Target } from './load.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

/** How long each figure of each server is measured, in all turns together. */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '15')
const TURNS = 15
/** Before the first turn: compilers and caches warm up. */
const WARM_UP_SECONDS = Math.min(6, SECONDS)
const DEADLINE_MS = 60_000
const HARD = { pods: '10000000', 'requests.cpu': '10000000', 'limits.memory': '1Ei' }
/** How many quotas the namespaces have; of five the first two are scoped, and all of them count the pods. */
const QUOTAS = [0, 1, 5]
const scopesOf = (index: number, quotas: number): object =>
  quotas === 5 && index < 2 ? { scopes: ['NotTerminating', 'NotBestEffort'] } : {}

interface Server extends Target {
  readonly name: 'allot' | 'real'
}

interface Figure {
  readonly connections: number
  readonly quotas: number
}

const FIGURES: readonly Figure[] = [1, 64].flatMap((connections) => QUOTAS.map((quotas) => ({ connections, quotas })))
const namespaceOf = ({ connections, quotas }: Figure): string => `bench-${quotas}-${connections}`

/** A namespace in which pods can be created: a real server's controllers must have furnished it and counted its quota. */
async function furnish(server: Server, figure: Figure): Promise<void> {
  const name = namespaceOf(figure)
  const path = `/api/v1/namespaces/${name}`
  const connection = await RawConnection.open(server.url)
  const send = (method: string, to: string, body?: object) =>
    connection.send(rawRequest(server, method, to, body === undefined ? '' : JSON.stringify(body)))
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error(`${server.name}: ${what} did not come about in ${name}`)
      await sleep(50)
    }
  }
  await send('POST', '/api/v1/namespaces', { metadata: { name } })
  for (let index = 0; index < figure.quotas; index++) {
    const to = `${path}/resourcequotas`
    const spec = { hard: HARD, ...scopesOf(index, figure.quotas) }
    await send('POST', to, { metadata: { name: `quota-${index}` }, spec })
    await until('a counted quota', async () => {
      const { body } = await send('GET', `${to}/quota-${index}`)
      return body.toString().includes('"used"')
    })
  }
  await until('a first pod', async () => (await send('POST', `${path}/pods`, podNamed('first'))).code === 201)
  connection.close()
}

const run = (server: Server, figure: Figure, seconds: number): Promise<Reached> =>
  createPods(server, { ...figure, namespace: namespaceOf(figure), seconds })

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

const print = (line: object): void => console.log(JSON.stringify({ bench: 'apiserver', ...line }))
const round = (value: number): number => Math.round(value * 100) / 100

await using allot = await startAllot()
await using real = assets === undefined ? undefined : await startRealServer()
if (real === undefined)
  console.error('KUBEBUILDER_ASSETS is not set (see scripts/real-apiserver): allot is measured alone')
const servers: readonly Server[] = [
  { name: 'allot', url: allot.url, token: allot.token },
  ...(real === undefined ? [] : [{ name: 'real' as const, url: real.url, token: real.token }]),
]

for (const server of servers)
  for (const figure of FIGURES) {
    await furnish(server, figure)
    await run(server, figure, WARM_UP_SECONDS / FIGURES.length)
  }

const reached = new Map<string, Reached[]>()
const keyOf = (server: string, { connections, quotas }: Figure): string => `${server} ${connections} ${quotas}`
const alternate = <T>(items: readonly T[], turn: number): readonly T[] => (turn % 2 === 0 ? items : items.toReversed())
for (let turn = 0; turn < TURNS; turn++)
  for (const figure of alternate(FIGURES, turn))
    for (const server of alternate(servers, turn >> 1)) {
      const key = keyOf(server.name, figure)
      const result = await run(server, figure, SECONDS / TURNS)
      reached.set(key, [...(reached.get(key) ?? []), result])
    }

const turnsOf = (server: string, connections: number, quotas: number): readonly Reached[] =>
  reached.get(keyOf(server, { connections, quotas })) ?? []
/** The median of what one is to the other in each turn. */
const quotient = (ofs: readonly Reached[], by: readonly Reached[]): number =>
  round(median(ofs.map(({ perSecond }, turn) => perSecond / (by[turn]?.perSecond ?? NaN))))

for (const { name } of servers)
  for (const { connections, quotas } of FIGURES) {
    const turns = turnsOf(name, connections, quotas)
    print({
      server: name,
      figure: 'pods created per second',
      connections,
      quotas,
      perSecond: Math.round(median(turns.map(({ perSecond }) => perSecond))),
      p50: round(median(turns.map(({ p50 }) => p50))),
      p99: round(median(turns.map(({ p99 }) => p99))),
    })
  }
for (const { connections, quotas } of real === undefined ? [] : FIGURES)
  print({
    figure: 'allot / real',
    connections,
    quotas,
    ratio: quotient(turnsOf('allot', connections, quotas), turnsOf('real', connections, quotas)),
  })
for (const { name } of servers)
  for (const { connections, quotas } of FIGURES.filter((figure) => figure.quotas > 0))
    print({
      server: name,
      figure: 'part of the speed that quotas cost',
      connections,
      quotas,
      quotaCost: round(1 - quotient(turnsOf(name, connections, quotas), turnsOf(name, connections, 0))),
    })
