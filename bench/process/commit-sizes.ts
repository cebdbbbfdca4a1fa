// How many writes one transaction of the store makes durable while one user creates pods over 64 connections in a namespace with a
// quota, by an older checkout and by this one, and the CPU time that a thousand pods take. The two take turns. One JSON line for each.
//
//   git worktree add ../before REVISION && (cd ../before && make install)
//   BENCH_SECONDS=12 node bench/process/commit-sizes.ts ../before
import { type Allot, startAllot } from '../../test/start-allot.ts'
import { createPods, type Reached } from '../load.ts'
import { median, round } from '../pod-creation.ts'
import { RawConnection, rawRequest } from '../raw-connection.ts'
import { twoCheckouts } from './two-checkouts.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '12')
const TURNS = 8
const WARM_UP_TURNS = 2
const CONNECTIONS = 64
const NAMESPACE = 'sizes'

async function ask(allot: Allot, method: string, path: string, body?: object): Promise<string> {
  const connection = await RawConnection.open(allot.url)
  const text = body === undefined ? '' : JSON.stringify(body)
  const answer = await connection.send(rawRequest(allot, method, path, text))
  connection.close()
  if (answer.code >= 300) throw new Error(`${method} ${path} was answered with ${answer.code}`)
  return answer.body.toString()
}

async function commits(allot: Allot): Promise<{ readonly count: number; readonly writes: number }> {
  const text = await ask(allot, 'GET', '/metrics')
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return { count: value('allot_store_commit_writes_count'), writes: value('allot_store_commit_writes_sum') }
}

const sides: { readonly name: string; readonly allot: Allot; readonly turns: (Reached & { size: number })[] }[] = []
for (const { name, program } of twoCheckouts()) {
  const allot = await startAllot({ program })
  await ask(allot, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const spec = { hard: { pods: '10000000', 'requests.cpu': '10000000' } }
  await ask(allot, 'POST', `/api/v1/namespaces/${NAMESPACE}/resourcequotas`, { metadata: { name: 'quota' }, spec })
  sides.push({ name, allot, turns: [] })
}
for (let turn = 0; turn < TURNS + WARM_UP_TURNS; turn++)
  for (const { allot, turns } of turn % 2 === 0 ? sides : sides.toReversed()) {
    const before = await commits(allot)
    const load = { namespace: NAMESPACE, connections: CONNECTIONS, seconds: SECONDS / TURNS }
    const reached = await createPods({ url: allot.url, token: allot.token, pid: allot.pid }, load)
    const after = await commits(allot)
    const size = (after.writes - before.writes) / (after.count - before.count)
    if (turn >= WARM_UP_TURNS) turns.push({ ...reached, size })
  }
for (const { name, allot, turns } of sides) {
  const of = (figure: 'size' | 'cpu' | 'perSecond'): number => round(median(turns.map((turn) => turn[figure])))
  const least = round(Math.min(...turns.map(({ cpu }) => cpu)))
  const figures = {
    writesOfCommit: of('size'),
    cpuOfThousand: of('cpu'),
    leastCpuOfThousand: least,
    perSecond: of('perSecond'),
  }
  console.log(JSON.stringify({ bench: 'commit-sizes', side: name, ...figures }))
  await allot.stop()
}
