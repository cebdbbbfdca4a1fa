import { expect, test } from 'vitest'
import { LEASE_TIMES } from '../kube/election/leader-election.ts'
import { leaseTimesOf } from './lease-times.ts'

const flags = (lease: number, renewDeadline: number, retryPeriod: number) => ({
  leaderElectLeaseDuration: lease,
  leaderElectRenewDeadline: renewDeadline,
  leaderElectRetryPeriod: retryPeriod,
})

test('the durations of the leader election are those of the flags', () => {
  expect(leaseTimesOf(flags(15_000, 10_000, 2_000))).toEqual(LEASE_TIMES)
  expect(leaseTimesOf(flags(1000, 999, 1))).toEqual({ lease: 1000, renewDeadline: 999, retryPeriod: 1 })
})

test.each([
  [flags(10_000, 10_000, 2_000), '--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline'],
  [flags(999, 500, 100), '--leader-elect-lease-duration must be at least 1s'],
  [flags(15_000, 2_400, 2_000), '--leader-elect-renew-deadline must be longer than 1.2 times'],
  [flags(15_000, 10_000, 0), 'which must not be 0s'],
])('durations that leave no room for each other are refused: %j', (wrong, message) => {
  expect(() => leaseTimesOf(wrong)).toThrow(message)
})
