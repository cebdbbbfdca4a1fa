import { describe, expect, test } from 'vitest'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { claimsIn, isTrue, POOLS } from '../operator/pool-objects.ts'
import { hasKubectl, kubectlOf } from './kubectl.ts'

const CPU = 'requests.cpu'
const NAME = 'described'
/** More than a pool lists. */
const WAITING = 22
const LISTED = 20

for (const { name: server, available, share } of operatedServers)
  describe.skipIf(!available || !hasKubectl)(`${server}: kubectl describe`, () => {
    const suite = forSuite(share)

    test('resourcepool lists the first of the claims that wait, in their order, and for what', async () => {
      const { world } = suite
      await world.namespace(NAME)
      await world.pool(NAME, { [CPU]: '2' })
      await world.claim(NAME, 'has', { [CPU]: '1500m' }, NAME)
      await world.until(`${claimsIn(NAME)}/has`, (claim) => isTrue(claim, 'Allocated') === true)
      const names = Array.from({ length: WAITING }, (_, at) => `waits-${10 + at}`)
      for (const claim of names) await world.claim(NAME, claim, { [CPU]: '1' }, NAME)
      await world.until(`${POOLS}/${NAME}`, ({ status }) => status.waitingCount === WAITING)
      const text = await kubectlOf(suite.server.kubeconfig).ok('describe', 'resourcepool', NAME)
      expect(text).toMatch(new RegExp(`^ +Waiting Count: +${WAITING}$`, 'm'))
      const [, list = ''] = text.split(/^ +Waiting:$|^Events:/m)
      const valuesOf = (field: string): readonly string[] =>
        [...list.matchAll(new RegExp(`^ +${field}: +(.+)$`, 'gm'))].map((match) => match[1] ?? '').slice(0, LISTED)
      const first = names.slice(0, LISTED)
      expect(valuesOf('Name')).toEqual(first)
      expect(valuesOf('Namespace')).toEqual(first.map(() => NAME))
      expect(valuesOf('Position')).toEqual(first.map((_, at) => String(at + 1)))
      expect(valuesOf('For').slice(0, 3)).toEqual(
        ['1st', '2nd', '3rd'].map((place) => `requests.cpu: 1 of 500m free; ${place} in the queue`),
      )
      expect(list).not.toContain(names[LISTED])
    })
  })
