import type { LeaseTimes } from '../kube/election/leader-election.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import type { OperatorFlags } from './operator-flags.ts'

type LeaseFlags = Pick<
  OperatorFlags,
  'leaderElectLeaseDuration' | 'leaderElectRenewDeadline' | 'leaderElectRetryPeriod'
>

const LEAST_LEASE_MS = 1000
/** How much longer than a retry period a pause may be, as in client-go. */
const RETRY_JITTER = 1.2

/** The times of the leader election. Throws StartupError when they do not leave room for each other, as client-go does. */
export function leaseTimesOf(flags: LeaseFlags): LeaseTimes {
  const { leaderElectLeaseDuration, leaderElectRenewDeadline, leaderElectRetryPeriod } = flags
  const times: LeaseTimes = {
    lease: leaderElectLeaseDuration,
    renewDeadline: leaderElectRenewDeadline,
    retryPeriod: leaderElectRetryPeriod,
  }
  if (times.lease < LEAST_LEASE_MS)
    throw new StartupError(
      'leader-election-times',
      '--leader-elect-lease-duration must be at least 1s, as a Lease counts in seconds',
    )
  if (times.lease <= times.renewDeadline)
    throw new StartupError(
      'leader-election-times',
      '--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline',
    )
  if (times.retryPeriod === 0 || times.renewDeadline <= times.retryPeriod * RETRY_JITTER)
    throw new StartupError(
      'leader-election-times',
      '--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period, which must not be 0s',
    )
  return times
}
