import { LeaderElection } from '../../src/kube/election/leader-election.ts'
import { type Lease, LEASES } from '../../src/kube/election/lease-record.ts'
import type { Clock } from '../../src/kube/time/clock.ts'
import { type Logger, silentLogger } from '../../src/runtime/process/logger.ts'
import { ManualClock } from './manual-clock.ts'
import { ScriptedClient, UNREACHABLE } from './scripted-client.ts'

export const LEASE = { namespace: 'system', name: 'allot' }
type Client = Pick<ScriptedClient, 'get' | 'create' | 'update'>

/** One candidate: what its leader sees, and a network of its own that can fail. */
export class Candidate {
  readonly election: LeaderElection
  readonly stopping = new AbortController()
  readonly terms: AbortSignal[] = []
  readonly running: Promise<void>
  cut: 'no' | 'refused' | 'hangs' | 'applies without answer' = 'no'
  /** The work of a leader goes on for so long after its signal aborted. */
  lag = 0
  jumped = 0

  constructor(server: Client, clock: ManualClock, identity: string, logger: Logger, hadLeaders: boolean) {
    const own: Clock = {
      now: () => clock.now() + this.jumped,
      monotonic: clock.monotonic,
      random: clock.random,
      sleep: clock.sleep,
    }
    const through = async <R>(call: () => Promise<R>, signal: AbortSignal | undefined): Promise<R> => {
      if (this.cut === 'refused') throw UNREACHABLE
      if (this.cut === 'applies without answer') await call().catch(() => {})
      if (this.cut !== 'no')
        return await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        })
      return await call()
    }
    const client: Client = {
      get: (kind, name, options?: { signal?: AbortSignal }) => through(() => server.get(kind, name), options?.signal),
      create: (kind, object, options?: { signal?: AbortSignal }) =>
        through(() => server.create(kind, object), options?.signal),
      update: (kind, object, options?: { signal?: AbortSignal }) =>
        through(() => server.update(kind, object), options?.signal),
    }
    this.election = new LeaderElection({ client, lease: LEASE, identity, clock: own, logger, hadLeaders })
    this.running = this.election.run((signal) => this.#lead(clock, signal), this.stopping.signal)
  }

  async #lead(clock: ManualClock, signal: AbortSignal): Promise<void> {
    this.terms.push(signal)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    if (this.lag > 0) await clock.sleep(this.lag, new AbortController().signal)
  }
}

/** An API server with a clock, and what brings candidates to it. */
export function setUp() {
  const server = new ScriptedClient(LEASES)
  const clock = new ManualClock()
  const lease = (): Lease['spec'] => server.state.get('system/allot')?.['spec'] as Lease['spec']
  const join = (identity: string, logger = silentLogger, hadLeaders = false) =>
    new Candidate(server, clock, identity, logger, hadLeaders)
  return { server, clock, lease, join }
}
