import { isNotFound } from '../../machinery/status.ts'
import type { Clock } from '../time/clock.ts'
import type { KubeClient, ObjectName } from '../client/kube-client.ts'
import { linkedAbort } from '../time/linked-abort.ts'
import { durationMsOf, holderOf, type Lease, LEASES, recordOf } from './lease-record.ts'

/** Whether somebody keeps a lease. */
export interface LeaseLiveness {
  readonly held: boolean
  /** The current or last holder, '' for nobody. */
  readonly holder: string
}

const LOOK_MS = 1000
/** Leaders renew far more often. Anybody may have written how long a lease lasts. */
const LONGEST_MS = 60_000

/**
 * Reports whether the holder of a lease is alive. A lease without a holder is not held. The time in a lease proves
 * nothing, because another clock wrote it. So the lease is watched. It is held as soon as it is renewed. It is not held
 * if it is not renewed within its duration, or within a minute. Rejects if it cannot be read, and with the signal's
 * reason.
 */
export async function isHeld(
  client: Pick<KubeClient, 'get'>,
  lease: ObjectName,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<LeaseLiveness> {
  const first = await read(client, lease, signal)
  const holder = holderOf(first)
  if (first === undefined || holder === '') return { held: false, holder }
  const until = clock.monotonic() + Math.min(durationMsOf(first), LONGEST_MS)
  for (;;) {
    const left = until - clock.monotonic()
    if (left <= 0) return { held: false, holder }
    await clock.sleep(Math.min(LOOK_MS, left), signal)
    const now = await read(client, lease, signal)
    if (now === undefined || holderOf(now) === '') return { held: false, holder: '' }
    if (recordOf(now) !== recordOf(first)) return { held: true, holder: holderOf(now) }
  }
}

/** A lease that somebody keeps. */
export interface HeldLease {
  readonly lease: ObjectName
  readonly holder: string
}

/** The first of the leases that turns out to be held; undefined when none is. All are watched at once. Rejects as `isHeld` does. */
export async function firstHeld(
  client: Pick<KubeClient, 'get'>,
  leases: readonly ObjectName[],
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<HeldLease | undefined> {
  using link = linkedAbort(signal)
  const over = link.controller
  const found: HeldLease[] = []
  await Promise.all(
    leases.map(async (lease) => {
      try {
        const { held, holder } = await isHeld(client, lease, clock, over.signal)
        if (held) found.push({ lease, holder })
      } catch (error) {
        if (found.length === 0) throw error
      }
      if (found.length > 0) over.abort()
    }),
  ).finally(() => over.abort())
  return found[0]
}

async function read(
  client: Pick<KubeClient, 'get'>,
  lease: ObjectName,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  try {
    return await client.get<Lease>(LEASES, lease, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
