import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { forSuite, operatedServers } from '../../operator/operated.ts'
import { claimsIn, condition, POOLS, type PoolWorld } from '../../operator/pool-objects.ts'
import { explained } from './asked-explanation.ts'

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot explain`, () => {
    const suite = forSuite(share)

    test('tells of a claim that waits what for, and of one that has its amounts where they come from', async () => {
      const { world, server } = suite
      await world.namespace('asking', 'asked')
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: 'asked' },
        spec: { selectors: [{ matchLabels: { pool: 'asked' } }], quota: { hard: { 'requests.cpu': '3' } } },
      })
      await world.claim('asking', 'first', { 'requests.cpu': '2' }, 'asked')
      // No workload uses it: that is known once its quota has been counted.
      await world.until(
        `${claimsIn('asking')}/first`,
        ({ status }) => status?.pool?.name === 'asked' && condition({ status }, 'Bound')?.status === 'False',
      )
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
      // The one who holds the room, and what gives it to the claim: each remedy by itself, as it stands there.
      expect(waiting.said?.holders).toEqual([
        expect.objectContaining({ budget: 'asked', resource: 'requests.cpu', amount: '2' }),
      ])
      expect(waiting.said?.remedies.map(({ type, text }) => [type, text])).toEqual([
        ['lower', 'claim requests.cpu 1: so much is free'],
        ['free', 'delete claim first, whose amounts no workload uses, if nobody needs it'],
        ['raise', 'have pool asked raised to requests.cpu 4'],
      ])
      const had = await asked('first')
      expect([had.code, had.said?.summary]).toEqual([0, 'ResourcePoolClaim first has its amounts from pool asked'])
      const has = async () =>
        await world.until(`${claimsIn('asking')}/second`, ({ status }) => status?.waiting === undefined)
      for (const type of ['lower', 'raise', 'free']) {
        const { said } = await eventually(
          () => asked('second'),
          (one) => one.said?.remedies.some((remedy) => remedy.type === type) === true,
          { what: `the remedy ${type}` },
        )
        await done(world, said?.remedies.find((remedy) => remedy.type === type)?.command)
        await has()
        if (type === 'free') break
        // It waits again for the next one.
        await world.patch(`${claimsIn('asking')}/second`, {
          spec: { claim: { 'requests.cpu': type === 'lower' ? '2' : '4' } },
        })
      }
      await world.delete(`${POOLS}/asked`)
    })
  })

/** Does what the command of a remedy says. */
async function done(world: PoolWorld, command = ''): Promise<void> {
  const [, verb, kind, name = ''] = / (patch|delete) (resourcepool|resourcepoolclaim)\/(\S+)/.exec(command) ?? []
  const path = `${kind === 'resourcepool' ? POOLS : claimsIn('asking')}/${name}`
  const [, patch = ''] = /--patch '(.*)'$/.exec(command) ?? []
  await (verb === 'delete' ? world.delete(path) : world.patch(path, JSON.parse(patch) as object))
}
