import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import type { Answer } from '../start-allot.ts'
import { Faults, type FaultyProxy } from './faulty-proxy.ts'
import { type BareServer, bareServers, type RestartableServer, startOperator, representative } from './operated.ts'
import { PoolJudge } from './pool/pool-judge.ts'
import { type Action, PoolScript } from './pool/pool-script.ts'
import { type PoolState, settledState } from './pool/pool-state.ts'
import { Replicas } from './replicas.ts'

/** The disturbances in the midst of a write of the leader: it is killed, or the API server is ended and started again. */
type Blow = 'kill' | 'SIGKILL' | 'SIGTERM'

/** One after the other; the last leader outlives the last restart. */
const BLOWS: readonly Blow[] = soak
  ? Array.from({ length: 10 }, (_, round): readonly Blow[] => [
      ...Array.from({ length: 10 }, () => 'kill' as const),
      round % 2 === 0 ? 'SIGKILL' : 'SIGTERM',
    ]).flat()
  : ['kill', 'kill', 'kill', 'SIGKILL']
/** The requests that users send meanwhile. */
const ACTIONS = soak ? 14 : 6
/** The blow falls in one of so many writes. */
const WRITES = 8
/** How often the next leader begins before the last one knows that it is none any more. */
const TWO_LEADERS = 0.3
/** After so many kills the lease of the dead is left to its time. */
const KILLS_A_LEASE = 20
const RATES = { oneIn: 100, watchMs: soak ? 1000 : 3000 }
const PATIENCE_MS = 120_000

// Most of the time somebody is starting, so both servers are disturbed at the same time.
for (const { name, start } of representative(bareServers))
  describe(name, { concurrent: true }, () => {
    test(
      'an operator that is killed over and over, and loses requests, watches and API servers, ends where an undisturbed one does',
      () =>
        tellingSeed('chaos', async () => {
          await using server = await start()
          const judge = new PoolJudge(server)
          const expected = await undisturbed(server)
          expect(expected.claims.length).toBeGreaterThan(BLOWS.length)

          const began = performance.now()
          const { outcome, blows, faults, ended } = await disturbed(server, expected)
          const { requests, failed, cut } = faults
          tell('chaos', {
            name,
            seed,
            ...blows,
            requests,
            failed,
            cut,
            seen: judge.seen,
            ms: performance.now() - began,
          })
          expect(outcome).toEqual(expected)
          expect(await judge.verdict()).toEqual([])
          expect(ended).toEqual([])

          // It was disturbed indeed.
          for (const blow of new Set(BLOWS))
            expect([blow, blows[blow]]).toEqual([blow, BLOWS.filter((one) => one === blow).length])
          expect(requests).toBeGreaterThanOrEqual(RATES.oneIn)
          expect(failed).toBeGreaterThanOrEqual(Math.floor(requests / RATES.oneIn))
          expect(cut).toBeGreaterThan(BLOWS.length)
          expect(Math.min(...judge.seen)).toBeGreaterThan(BLOWS.length)
        }),
      soak ? 4 * 3_600_000 : 300_000,
    )
  })

/** The outcome of the script with one operator and without disturbances. */
async function undisturbed(server: BareServer): Promise<PoolState> {
  await using _operator = await startOperator(server.kubeconfig)
  const script = new PoolScript('calm', seed)
  for (const action of script.begin()) await act(server, action)
  for (let n = 0; n < BLOWS.length * ACTIONS; n++) await act(server, script.next())
  for (const action of script.end()) await insist(server, action)
  return await settledState(server, 'calm')
}

/** The outcome of the same with two replicas and every disturbance, and the list of these. */
async function disturbed(server: RestartableServer, expected: PoolState) {
  const random = new SeededRandom(seed)
  const faults = new Faults(random, RATES)
  const script = new PoolScript('wild', seed)
  const blows: Record<Blow, number> = { kill: 0, SIGKILL: 0, SIGTERM: 0 }
  await using replicas = await Replicas.start(server, faults, 2)
  for (const action of script.begin()) await act(server, action)
  for (const blow of BLOWS) {
    const began = performance.now()
    if (blow === 'kill' && random.chance(TWO_LEADERS)) await replicas.expireLease()
    let mended = Promise.resolve()
    faults.strike(random.between(1, WRITES), (proxy) => {
      blows[blow]++
      mended = blow === 'kill' ? succeeded(replicas, proxy, blows.kill) : server.restart(blow)
      mended.catch(() => undefined)
    })
    try {
      await workUntilStruck(server, script, faults)
    } finally {
      await mended
    }
    tell(blow, { name: server.url, ms: performance.now() - began })
  }
  faults.active = false
  for (const action of script.end()) await insist(server, action)
  const outcome = await settledState(server, 'wild', expected)
  return { outcome, blows, faults, ended: replicas.ended }
}

function tell(what: string, figures: object): void {
  if (process.env['ALLOT_VERBOSE'] !== undefined) console.log(what, JSON.stringify(figures))
}

/** Acts as users do until the blow has fallen, and at least for `ACTIONS` actions. */
async function workUntilStruck(server: BareServer, script: PoolScript, faults: Faults): Promise<void> {
  for (let n = 0; n < ACTIONS; n++) await act(server, script.next())
  const stir = async (): Promise<boolean> => {
    if (faults.isArmed) await act(server, script.stir())
    return faults.isArmed
  }
  await eventually(stir, (isArmed) => !isArmed, { patienceMs: PATIENCE_MS, everyMs: 50, what: 'the next write' })
}

/** Kills a replica; the lease is over at once, or when its time is. */
async function succeeded(replicas: Replicas, proxy: FaultyProxy, kills: number): Promise<void> {
  const replaced = replicas.replace(proxy)
  if (kills % KILLS_A_LEASE > 0) await replicas.expireLease()
  await replaced
}

/** A request that is refused for good reasons is not sent again. */
const act = (server: BareServer, action: Action): Promise<void> => repeat(server, action, isAnswered)

/** A request that is refused because of current usage is sent until it is accepted. */
const insist = (server: BareServer, action: Action): Promise<void> =>
  repeat(server, action, (answer) => isAnswered(answer) && (answer.status < 300 || answer.status === 404))

/** Did the server look at the request? Not while it starts, is asked by others too, or finds nobody who answers webhooks. */
function isAnswered({ status, text, json }: Answer): boolean {
  if (status >= 500 || status === 429) return false
  // A server that starts does not know its definitions yet.
  if (status === 404) return typeof json === 'object' && json.details?.name !== undefined
  if (status === 409) return json.reason === 'AlreadyExists'
  return !(status === 403 && text.includes('not yet ready to handle request'))
}

async function repeat(
  { send }: BareServer,
  { method, path, body }: Action,
  isDone: (answer: Answer) => boolean,
): Promise<void> {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
  await eventually(
    () => send(method, path, body, headers).catch(String),
    (answer) => typeof answer !== 'string' && isDone(answer),
    { patienceMs: PATIENCE_MS, everyMs: 50, what: `${method} ${path}` },
  )
}
