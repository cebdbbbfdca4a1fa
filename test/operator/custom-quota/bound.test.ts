import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { operatedServers, representative } from '../operated.ts'
import { condition, type Conditioned } from '../pool-objects.ts'
import { forQuotas, map, MAPS, mapsIn, quotasIn } from './quota-world.ts'

const BOUND = 2
const CREATES = 16
const NAMESPACE = 'cq-crowd'

for (const { name, start } of representative(operatedServers))
  describe(`${name}: the bound of CustomQuotas`, () => {
    const suite = forQuotas(() => start({ args: [`--custom-quotas-per-namespace=${BOUND}`] }))

    test('holds for creates at once: as many are enforced, and each of them stays so; the others refuse nothing until a place is free', async () => {
      const { world } = suite
      await world.namespace(NAMESPACE)
      const answers = await Promise.all(
        Array.from({ length: CREATES }, (_, index) =>
          world.send('POST', quotasIn(NAMESPACE), {
            apiVersion: 'capsule.clastix.io/v1beta2',
            kind: 'CustomQuota',
            metadata: { name: `q${index}` },
            spec: { limit: '1', sources: [MAPS], scopeSelectors: [{ matchLabels: { quota: `q${index}` } }] },
          }),
        ),
      )
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(BOUND)
      const reasons = async (): Promise<ReadonlyMap<string, string | undefined>> => {
        const { items } = await world.read(quotasIn(NAMESPACE))
        return new Map(
          items.map((quota: Conditioned & { metadata: { name: string } }) => [
            quota.metadata.name,
            condition(quota, 'Ready')?.reason,
          ]),
        )
      }
      const settled = (found: ReadonlyMap<string, string | undefined>): boolean =>
        found.values().every((reason) => reason === 'Succeeded' || reason === 'TooManyQuotas')
      const found = await eventually(reasons, settled)
      const those = (wanted: string) => [...found].flatMap(([one, reason]) => (reason === wanted ? [one] : []))
      const [kept = '', gone = ''] = those('Succeeded')
      expect(those('Succeeded')).toHaveLength(BOUND)
      const create = (quota: string) => world.send('POST', mapsIn(NAMESPACE), map(`m-${quota}`, 2, { quota }))
      for (const one of [kept, gone]) expect((await create(one)).status).toBe(403)
      for (const one of those('TooManyQuotas'))
        await eventually(
          () => create(one),
          ({ status }) => status === 201,
        )

      await world.delete(`${quotasIn(NAMESPACE)}/${gone}`)
      const later = await eventually(
        reasons,
        (now) =>
          settled(now) &&
          [...now.values()].filter((reason) => reason === 'Succeeded').length === Math.min(BOUND, now.size),
      )
      expect(later.get(kept)).toBe('Succeeded')
    })
  })
