import { expect, test } from 'vitest'
import { LEASE_TIMES } from '../kube/election/leader-election.ts'
import { leaseTimesConflict, leaseTimesOf } from './lease-times.ts'

const flags = (lease: number, renewDeadline: number, retryPeriod: number) => ({
  leaderElectLeaseDuration: lease,
  leaderElectRenewDeadline: renewDeadline,
  leaderElectRetryPeriod: retryPeriod,
})

test('the durations of the leader election are those of the flags', () => {
  expect(leaseTimesOf(flags(15_000, 10_000, 2_000))).toEqual(LEASE_TIMES)
  expect(leaseTimesConflict(flags(15_000, 10_000, 2_000))).toBeUndefined()
  expect(leaseTimesConflict(flags(1000, 999, 1))).toBeUndefined()
})

test.each([
  [
    flags(10_000, 10_000, 2_000),
    '--leader-elect-lease-duration (10s) must be longer than --leader-elect-renew-deadline (10s)',
  ],
  [flags(999, 500, 100), '--leader-elect-lease-duration must be at least 1s, because a Lease counts in seconds'],
  [
    flags(15_000, 2_400, 2_000),
    '--leader-elect-renew-deadline (2400ms) must be longer than 1.2 times --leader-elect-retry-period (2s)',
  ],
  [
    flags(15_000, 0, 2_000),
    '--leader-elect-renew-deadline (0s) must be longer than 1.2 times --leader-elect-retry-period (2s)',
  ],
  [flags(15_000, 10_000, 0), '--leader-elect-retry-period must be at least 1ms'],
])('durations that leave no room for each other contradict: %j', (wrong, message) => {
  expect(leaseTimesConflict(wrong)).toBe(message)
})
