import { describe, expect, test } from 'vitest'
import { claimOf, inPool, poolOf, settle } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePoolClaim } from '../../../systems/resource-pool/api/claim.ts'
import { claimHolders, type ClaimRoom, roomForClaim } from './room-for-claim.ts'

const CPU = 'requests.cpu'

/** Claims `a`, `b`, … of the namespace `a` on an ordered pool of 2 CPUs, as they stand once all are decided. */
function queued(...amounts: readonly string[]): { readonly last: ResourcePoolClaim; readonly room: ClaimRoom } {
  const pool = poolOf('oq', { quota: { hard: { [CPU]: '2' } }, config: { orderedQueue: true } })
  const claims = amounts.map((amount, age) => claimOf('abcdef'.charAt(age), { [CPU]: amount }, { pool: 'oq', age }))
  const used = { a: { hard: { [CPU]: '2' }, used: { [CPU]: '0' } } }
  const once = settle(pool, claims, inPool('oq', 'a'), used)
  const settled = settle(once.pool, once.claims, inPool('oq', 'a'), used)
  const [last] = settled.claims.slice(-1)
  if (last === undefined) throw new Error('there is no claim')
  return { last, room: { pools: [settled.pool], claims: settled.claims, kubectl: 'kubectl -n a', notSeen: [] } }
}

/** As a tenant sees it, who may read no pool. */
const asTenant = (room: ClaimRoom): ClaimRoom => ({ ...room, pools: undefined })
const said = (claim: ResourcePoolClaim, room: ClaimRoom): readonly string[] =>
  roomForClaim(claim, room).map(({ text }) => text)

describe('a tenant who may read no pool', () => {
  test.each([
    [
      'beside one that waits for room',
      ['1500m', '1', '200m'],
      [
        'delete claim b, which waits before it, if nobody needs it',
        'delete claim a, whose amounts no workload uses, if nobody needs it',
        'have pool oq raised by requests.cpu 700m',
      ],
    ],
    [
      'beside one that never fits, so that nothing tells what is free',
      ['1500m', '3', '200m'],
      [
        'delete claim b, which waits before it, if nobody needs it; you may not see whether there is room then',
        'have pool oq raised by at most requests.cpu 3200m',
      ],
    ],
  ])('is offered the own claims %s', (_title, amounts, texts) => {
    const { last, room } = queued(...amounts)
    expect(said(last, asTenant(room))).toEqual(texts)
  })

  test('is told which own claims hold room of the pool', () => {
    const { last, room } = queued('1500m', '1', '200m')
    expect(claimHolders(last, asTenant(room))).toEqual(claimHolders(last, room))
  })
})

test('several claims that make way are named in one plain sentence', () => {
  const { last, room } = queued('1900m', '1', '1', '100m')
  expect(said(last, room)[0]).toBe('delete claims b and c, which wait before it, if nobody needs them')
})

test('a claim that is larger than its pool asks for what is free first, and for the whole pool once others give back theirs', () => {
  const { last, room } = queued('500m', '30')
  expect(said(last, room)).toEqual([
    'claim requests.cpu 1500m: so much is free',
    'claim requests.cpu 2: so much the whole pool has; it waits until others give back requests.cpu 500m',
    'have pool oq raised to requests.cpu 30500m',
  ])
  const alone = queued('30')
  expect(said(alone.last, alone.room)[0]).toBe('claim requests.cpu 2: so much the whole pool has')
})
