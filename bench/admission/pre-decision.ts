// The cost of deciding requests on the namespace's ResourceQuotas before they reserve room in custom quotas: pods created
// per second under one custom quota, in a namespace without and in one with a ResourceQuota, and under three custom quotas, by this
// checkout and by an older one. BENCH_REPLICAS is the number of replicas of each operator.
// Both operators and their real API servers run all the time and take short turns. A ratio is this checkout's figure by the older
// one's. One JSON line per figure.
//
//   git worktree add ../before REVISION && (cd ../before && make install)
//   KUBEBUILDER_ASSETS=... BENCH_SECONDS=20 node bench/admission/pre-decision.ts ../before
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRealServer } from '../../test/differential/real-server.ts'
import { type BareServer, over } from '../../test/operator/operated.ts'
import { furnish, makeQuota, startReplicas } from './places.ts'
import { createPods, type Reached } from '../load.ts'
import { cpuOf, median, quotient, round, summary } from '../pod-creation.ts'
import { twoCheckouts } from '../process/two-checkouts.ts'

/** How long each figure is measured, in all turns together. */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '20')
const TURNS = 20
const WARM_UP_SECONDS = 2
const CONNECTIONS = 64
const REPLICAS = Number(process.env['BENCH_REPLICAS'] ?? '1')
/** The controller that counts the quota is among them. */
const CONTROLLERS = 'namespace,serviceaccount,serviceaccount-token,resourcequota'
/** Never reached: whatever is refused is refused by mistake. */
const HARD = { pods: '10000000', 'requests.cpu': '10000000' }
const PLACES = ['plain', 'quota', 'three'] as const
type Place = (typeof PLACES)[number]

const print = (line: object): void => console.log(JSON.stringify({ bench: 'pre-decision', ...line }))

async function limit({ send, until }: BareServer, namespace: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`
  const { status, text } = await send('POST', path, { metadata: { name: 'bench' }, spec: { hard: HARD } })
  if (status !== 201) throw new Error(`the ResourceQuota was answered with ${status}: ${text}`)
  await until(`${path}/bench`, ({ json }) => json.status?.used?.pods !== undefined)
}

await using stack = new AsyncDisposableStack()
const sides: { name: string; server: BareServer; pids: readonly number[] }[] = []
for (const { name, program } of twoCheckouts()) {
  const real = await startRealServer({ controllers: CONTROLLERS })
  const server = stack.use(over(real))
  const replicas = stack.use(await startReplicas(server, REPLICAS, [], program))
  for (const place of PLACES) {
    await furnish(server, place)
    await makeQuota(server, place)
  }
  for (const more of ['second', 'third']) await makeQuota(server, 'three', undefined, more)
  await limit(server, 'quota')
  const servers = ['apiserver', 'etcd'].map((file) => Number(readFileSync(join(real.directory, `${file}.pid`), 'utf8')))
  sides.push({ name, server, pids: [...servers, ...replicas.all.map(({ pid }) => pid)] })
}

const turns = new Map<string, Reached[]>()
const keyOf = (side: string, place: Place): string => `${side} ${place}`
let refused = 0

async function run(side: (typeof sides)[number], namespace: Place, seconds: number): Promise<void> {
  const reached = await createPods(
    { ...side.server, pid: side.pids },
    {
      namespace,
      connections: CONNECTIONS,
      seconds,
      refused: (code, text) => {
        if (refused++ === 0) console.error(`${side.name} ${namespace}: ${code} ${text}`)
      },
    },
  )
  const key = keyOf(side.name, namespace)
  turns.set(key, [...(turns.get(key) ?? []), reached])
}

const runs = PLACES.flatMap((place) => sides.map((side) => ({ side, place })))
for (const { side, place } of runs) await run(side, place, WARM_UP_SECONDS)
turns.clear()
for (let turn = 0; turn < TURNS; turn++)
  for (const { side, place } of turn % 2 === 0 ? runs : runs.toReversed()) await run(side, place, SECONDS / TURNS)

for (const place of PLACES) {
  const [before, after] = ['before', 'after'].map((side) => turns.get(keyOf(side, place)) ?? [])
  for (const [side, all] of Object.entries({ before: before ?? [], after: after ?? [] }))
    print({
      place,
      side,
      figure: 'pods created per second',
      ...summary(all),
      cpuOfThousand: cpuOf(all).median,
      // The API server, etcd, then each replica of the operator.
      cpuOfEach: Array.from({ length: 2 + REPLICAS }, (_, index) =>
        Math.round(median(all.map((turn) => turn.cpuOf[index] ?? NaN))),
      ),
    })
  print({
    place,
    figure: 'part of the speed',
    ratio: quotient(after ?? [], before ?? []),
    byCpu: round(cpuOf(before ?? []).median / cpuOf(after ?? []).median),
  })
}
print({ figure: 'refused by mistake', count: refused })
