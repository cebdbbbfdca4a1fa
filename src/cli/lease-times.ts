import type { LeaseTimes } from '../kube/election/leader-election.ts'
import type { OperatorFlags } from './operator-flags.ts'

type LeaseFlags = Pick<
  OperatorFlags,
  'leaderElectLeaseDuration' | 'leaderElectRenewDeadline' | 'leaderElectRetryPeriod'
>

const LEAST_LEASE_MS = 1000
/** How much longer than a retry period a pause may be, as in client-go. */
const RETRY_JITTER = 1.2

const LEASE = '--leader-elect-lease-duration'
const DEADLINE = '--leader-elect-renew-deadline'
const RETRY = '--leader-elect-retry-period'

/** The times of the leader election. */
export const leaseTimesOf = (flags: LeaseFlags): LeaseTimes => ({
  lease: flags.leaderElectLeaseDuration,
  renewDeadline: flags.leaderElectRenewDeadline,
  retryPeriod: flags.leaderElectRetryPeriod,
})

/** Why the times do not leave room for each other, by the rules of client-go, as a sentence that names the flags. */
export function leaseTimesConflict(flags: LeaseFlags): string | undefined {
  const { lease, renewDeadline, retryPeriod } = leaseTimesOf(flags)
  if (lease < LEAST_LEASE_MS) return `${LEASE} must be at least 1s, because a Lease counts in seconds`
  if (retryPeriod === 0) return `${RETRY} must be at least 1ms`
  if (lease <= renewDeadline)
    return `${LEASE} (${shown(lease)}) must be longer than ${DEADLINE} (${shown(renewDeadline)})`
  if (renewDeadline <= retryPeriod * RETRY_JITTER)
    return `${DEADLINE} (${shown(renewDeadline)}) must be longer than ${RETRY_JITTER} times ${RETRY} (${shown(retryPeriod)})`
  return undefined
}

const shown = (milliseconds: number): string =>
  milliseconds % LEAST_LEASE_MS === 0 ? `${milliseconds / LEAST_LEASE_MS}s` : `${milliseconds}ms`
