// Pods created per second on several servers at once: without a quota, with one, and with five of which two are scoped, over 1 and
// 64 connections. All servers run all the time and take short turns, so that what else the machine does falls on every side.
import { setTimeout as sleep } from 'node:timers/promises'
import { createPods, podNamed, type Reached, type Target } from './load.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

const TURNS = 15
/** Before the first turn, in seconds: compilers and caches warm up. */
const WARM_UP_SECONDS = 6
const DEADLINE_MS = 60_000
const HARD = { pods: '10000000', 'requests.cpu': '10000000', 'limits.memory': '1Ei' }
/** How many quotas the namespaces have; of five the first two are scoped, and all of them count the pods. */
const QUOTAS = [0, 1, 5]
const scopesOf = (index: number, quotas: number): object =>
  quotas === 5 && index < 2 ? { scopes: ['NotTerminating', 'NotBestEffort'] } : {}

export interface Server extends Target {
  readonly name: string
}

export interface Figure {
  readonly connections: number
  readonly quotas: number
}

export const FIGURES: readonly Figure[] = [1, 64].flatMap((connections) =>
  QUOTAS.map((quotas) => ({ connections, quotas })),
)

/** The figures of each server in each of its turns. */
export type Turns = (server: string, figure: Figure) => readonly Reached[]

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

/** Measures each figure of each server for `seconds`, in all turns together. */
export async function measurePodCreation(servers: readonly Server[], seconds: number): Promise<Turns> {
  for (const server of servers)
    for (const figure of FIGURES) {
      await furnish(server, figure)
      await run(server, figure, Math.min(WARM_UP_SECONDS, seconds) / FIGURES.length)
    }
  const reached = new Map<string, Reached[]>()
  for (let turn = 0; turn < TURNS; turn++)
    for (const figure of alternate(FIGURES, turn))
      for (const server of alternate(servers, turn >> 1)) {
        const key = keyOf(server.name, figure)
        const result = await run(server, figure, seconds / TURNS)
        reached.set(key, [...(reached.get(key) ?? []), result])
      }
  return (server, figure) => reached.get(keyOf(server, figure)) ?? []
}

const keyOf = (server: string, { connections, quotas }: Figure): string => `${server} ${connections} ${quotas}`
const alternate = <T>(items: readonly T[], turn: number): readonly T[] => (turn % 2 === 0 ? items : items.toReversed())

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

export const round = (value: number): number => Math.round(value * 100) / 100

/** The median of what one server reached to what the other did in each turn. */
export const quotient = (ofs: readonly Reached[], by: readonly Reached[]): number =>
  round(median(ofs.map(({ perSecond }, turn) => perSecond / (by[turn]?.perSecond ?? NaN))))

/** The CPU that a server spent on 1,000 pods, in milliseconds: the least and the median of its turns. */
export function cpuOf(turns: readonly Reached[]): { readonly least: number; readonly median: number } {
  const values = turns.map(({ cpu }) => cpu)
  return { least: round(Math.min(...values)), median: round(median(values)) }
}

/** A figure's speed and latency, as medians of the turns. */
export const summary = (turns: readonly Reached[]): object => ({
  perSecond: Math.round(median(turns.map(({ perSecond }) => perSecond))),
  p50: round(median(turns.map(({ p50 }) => p50))),
  p99: round(median(turns.map(({ p99 }) => p99))),
})
