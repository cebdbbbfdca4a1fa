import { describe, expect, test } from 'vitest'
import { app, explained, quota } from '../../../../test/insight/explained.ts'
import { claimOf, inPool, poolOf, settle } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Explanation } from '../explanation.ts'
import { withClaimRoom } from './claim-in-queue.ts'
import type { ClaimRoom } from './room-for-claim.ts'

const CPU = 'requests.cpu'

/** The claims of these amounts on pool `p1`, of the namespace `shop` or, by a `/`, of another, once all are decided. */
function roomOf(hard: string, amounts: Readonly<Record<string, string>>, config: JsonObject = {}): ClaimRoom {
  const pool = poolOf('p1', { quota: { hard: { [CPU]: hard } }, config })
  const claims = Object.entries(amounts).map(([path, amount], age) => {
    const [name = '', namespace = 'shop'] = path.split('/').toReversed()
    return claimOf(name, { [CPU]: amount }, { namespace, pool: 'p1', age })
  })
  const namespaces = inPool('p1', 'shop', 'other')
  const once = settle(pool, claims, namespaces)
  const settled = settle(once.pool, once.claims, namespaces)
  const own = settled.claims.filter(({ metadata }) => metadata.namespace === 'shop')
  return { pools: [settled.pool], claims: own, kubectl: 'kubectl -n shop', notSeen: [] }
}

/** A Deployment that lacks 200m of the quota of pool `p1`. */
const LACKING = explained({
  template: [app('web', { cpu: '200m' })],
  replicas: 1,
  pods: [],
  quota: quota({ [CPU]: '1' }, { [CPU]: '1' }, { labels: { 'projectcapsule.dev/pool': 'p1' } }),
})

const said = ({ causes, remedies }: Explanation) => ({
  waits: causes.filter(({ type }) => type === 'waits').map(({ text }) => text),
  remedies: remedies.map(({ text }) => text),
})

describe('a workload whose quota is of a pool', () => {
  test('is helped by the claim that waits, and not by one more', () => {
    const room = roomOf('1', { first: '1', 'p1-sq5bl': '200m' })
    const waits = ['claim p1-sq5bl from pool p1 waits, place 1: waits for room: requests.cpu: 200m of 0 free']
    expect(said(withClaimRoom(LACKING, room))).toEqual({
      waits,
      remedies: ['for claim p1-sq5bl: have pool p1 raised to requests.cpu 1200m'],
    })
    expect(said(withClaimRoom(LACKING, { ...room, pools: undefined }))).toEqual({
      waits,
      remedies: ['for claim p1-sq5bl: have pool p1 raised by requests.cpu 200m'],
    })
  })

  test('claims the rest where what waits is not enough', () => {
    const changed = withClaimRoom(LACKING, roomOf('1', { first: '1', second: '150m' }))
    expect(said(changed).remedies).toEqual([
      'for claim second: have pool p1 raised to requests.cpu 1150m',
      'claim requests.cpu 50m from pool p1; the claim has to wait: older claims wait for requests.cpu 150m',
      'for this claim: have pool p1 raised to requests.cpu 1200m',
    ])
    expect(changed.remedies[1]?.manifest).toMatchObject({ spec: { pool: 'p1', claim: { [CPU]: '50m' } } })
  })

  test('may let a claim that waits for more ask for what is free', () => {
    const room = roomOf('2', { first: '1', second: '1500m' })
    expect(said(withClaimRoom(LACKING, room)).remedies).toEqual([
      'for claim second: claim requests.cpu 1: so much is free',
      'for claim second: have pool p1 raised to requests.cpu 2500m',
    ])
  })

  test.each([
    ['has too little free', roomOf('1100m', { first: '1' }), 'requests.cpu 100m is free', '1200m'],
    ['never has so much', roomOf('100m', {}), 'the whole pool has requests.cpu 100m', '200m'],
    [
      'has older claims of others before it',
      roomOf('2', { first: '1', 'other/second': '1500m' }, { orderedQueue: true }),
      'older claims wait for requests.cpu 1500m',
      '2700m',
    ],
  ])('is told that a claim has to wait where the pool %s', (_title, room, why, raised) => {
    expect(said(withClaimRoom(LACKING, room))).toEqual({
      waits: [],
      remedies: [
        `claim requests.cpu 200m from pool p1; the claim has to wait: ${why}`,
        `for this claim: have pool p1 raised to requests.cpu ${raised}`,
      ],
    })
  })

  test.each([
    ['has room', roomOf('2', { first: '1' })],
    ['cannot be read', { ...roomOf('1', { first: '1' }), pools: undefined }],
  ])('is offered a claim as before where the pool %s', (_title, room) => {
    expect(withClaimRoom(LACKING, room)).toEqual(LACKING)
  })
})
