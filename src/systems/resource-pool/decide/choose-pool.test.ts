import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { claimChange } from './apply-outcome.ts'
import { strayOutcome } from './choose-pool.ts'

const NOW = '2026-01-01T00:00:00Z'
const pool = poolOf('p', { quota: { hard: { 'requests.cpu': '2' } } })
const { apiVersion, kind } = pool
const owner = { apiVersion, kind, name: 'p', uid: pool.metadata.uid ?? '' }
const claim = claimOf('c', { 'requests.cpu': '1' }, { ownerReferences: [owner] })

test('a claim that is to go with its pool stays its dependent when the pool is gone', () => {
  const change = claimChange(strayOutcome(claim, []), undefined, NOW)
  expect(change?.ownerReferences).toBeUndefined()
  expect(change?.status?.conditions).toMatchObject([
    { type: 'Ready', status: 'False' },
    { type: 'Reconciling', status: 'True' },
  ])
})

test('a claim that no pool decides about does not depend on an existing pool', () => {
  expect(claimChange(strayOutcome(claim, [pool]), undefined, NOW)?.ownerReferences).toEqual([])
})
