import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { forSuite, operatedServers } from '../../operator/operated.ts'
import { claimsIn, POOLS } from '../../operator/pool-objects.ts'
import { explained } from './asked-explanation.ts'

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot explain`, () => {
    const suite = forSuite(share)

    test('tells of a claim that waits what for, and of one that has its amounts where they come from [32/requests]', async () => {
      const { world, server } = suite
      await world.namespace('asking', 'asked')
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: 'asked' },
        spec: { selectors: [{ matchLabels: { pool: 'asked' } }], quota: { hard: { 'requests.cpu': '3' } } },
      })
      await world.claim('asking', 'first', { 'requests.cpu': '2' }, 'asked')
      await world.until(`${claimsIn('asking')}/first`, ({ status }) => status?.pool?.name === 'asked')
      await world.claim('asking', 'second', { 'requests.cpu': '2' }, 'asked')
      const asked = (claim: string) => explained(server.kubeconfig, 'resourcepoolclaim', claim, '-n', 'asking')
      const waiting = await eventually(
        () => asked('second'),
        ({ said }) => said?.verdict === 'blocked',
        { what: 'the wait of the second claim' },
      )
      expect(waiting.code).toBe(3)
      expect(waiting.said?.causes).toEqual([
        {
          type: 'waits',
          refused: 'ResourcePoolClaim',
          by: { kind: 'ResourcePool', name: 'asked' },
          text: expect.stringMatching(/requests\.cpu.*; it has place 1 in the queue$/),
          containers: [],
        },
      ])
      const had = await asked('first')
      expect([had.code, had.said?.summary]).toEqual([0, 'ResourcePoolClaim first has its amounts from pool asked'])
      await world.delete(`${POOLS}/asked`)
    })
  })
