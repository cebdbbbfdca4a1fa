import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import { MigrateError } from '../../migrate/error.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'
import type { ClusterObjects } from '../../uninstall/cluster-objects.ts'

/** The parts that a takeover works with. */
export interface TakeoverWork {
  readonly peer: Peer
  readonly client: KubeClient
  readonly objects: ClusterObjects
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Reports each change, in a line. */
  readonly say: (line: string) => void
  /** Where allot runs, and where its own objects are. */
  readonly namespace: string
  readonly systemNamespace: string
  /** How long each wait may last. */
  readonly patienceMs: number
}

const LOOK_MS = 250

/** Looks until a test says yes. Rejects with MigrateError when the patience ends, with the last thing that was missing. */
export async function until(
  { clock, signal, patienceMs }: Pick<TakeoverWork, 'clock' | 'signal' | 'patienceMs'>,
  missing: () => Promise<string | undefined>,
  advice: string,
): Promise<void> {
  const end = clock.monotonic() + patienceMs
  for (;;) {
    const problem = await missing()
    if (problem === undefined) return
    if (clock.monotonic() > end) throw new MigrateError(problem, advice)
    await clock.sleep(LOOK_MS, signal)
  }
}
