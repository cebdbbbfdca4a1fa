// Covers container-room.ts and budget-room.ts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_FACTS } from '../../../test/insight/explained.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { outlook } from './budget-room.ts'
import { containerRooms } from './container-room.ts'
import { type Priced, priced } from './costs.ts'

/** A step of each resource that people can ask for. */
const STEPS = { cpu: '1m', memory: '1' } as const
type Resource = keyof typeof STEPS

const amountsOf = (resource: Resource, units: number): string => (resource === 'cpu' ? `${units}m` : `${units}`)

function pod(resource: Resource, side: string, units: readonly number[]): KubeObject {
  const containers = units.map((one, index) => ({
    name: `c${index}`,
    resources: { [side]: { [resource]: amountsOf(resource, one) } },
  }))
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'next', namespace: 'shop' }, spec: { containers } }
}

const PODS = { group: '', resource: 'pods' }
const demand = (next: KubeObject, missing: number): Priced =>
  priced({ next, resource: PODS, wanted: missing, existing: 0, maker: undefined, refusal: undefined }, NO_FACTS)

test('the amount that a container may have is the largest with which all missing pods fit, to the unit', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Resource>('cpu', 'memory'),
      fc.constantFrom('requests', 'limits'),
      fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 20_000 }),
      fc.integer({ min: 0, max: 20_000 }),
      (resource, side, units, missing, hard, used) => {
        const name = `${side}.${resource}`
        const stored: ResourceQuota = {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q', namespace: 'shop' },
          status: { hard: { [name]: amountsOf(resource, hard) }, used: { [name]: amountsOf(resource, used) } },
        }
        const budget = quotaBudget(stored, QUOTA_EVALUATORS)
        const pods = demand(pod(resource, side, units), missing)
        const [excess] = outlook(budget, [pods]).excesses
        if (excess === undefined) return
        const largest = Math.max(...units)
        const others = units.reduce((sum, one) => sum + one, -largest)
        const exceeds = (amount: number): boolean =>
          outlook(budget, [
            demand(pod(resource, side, [amount, ...units.filter((_, at) => at !== units.indexOf(largest))]), missing),
          ]).excesses.length > 0
        const rooms = containerRooms(budget, excess, pods, 0)
        const [room] = rooms ?? []
        if (room === undefined) {
          // Not even one unit is left beside the other containers.
          expect(Math.floor((hard - used) / missing) - others).toBeLessThan(1)
          return
        }
        const amount = Number(room.amount.scaledValue(resource === 'cpu' ? -3 : 0))
        expect([room.resource, room.side, exceeds(amount), exceeds(amount + 1)]).toEqual([resource, side, false, true])
      },
    ),
  )
})

test('so many pods fit as are said to, and not one more', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('pods', 'requests.cpu', 'limits.memory'), fc.integer({ min: 0, max: 9_000 }), {
        minKeys: 1,
      }),
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 3_000 }),
      (limits, cpu, memory) => {
        const hard = Object.fromEntries(
          Object.entries(limits).map(([name, most]) => [name, name === 'requests.cpu' ? `${most}m` : `${most}`]),
        )
        const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
        const stored: ResourceQuota = {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'q', namespace: 'shop' },
          status: { hard, used },
        }
        const budget = quotaBudget(stored, QUOTA_EVALUATORS)
        const containers = [{ name: 'c', resources: { requests: { cpu: `${cpu}m` }, limits: { memory: `${memory}` } } }]
        const next: KubeObject = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'next', namespace: 'shop' },
          spec: { containers },
        }
        const { fits = 0 } = outlook(budget, [demand(next, 1)])
        expect(outlook(budget, [demand(next, fits)]).excesses).toEqual([])
        expect(outlook(budget, [demand(next, fits + 1)]).excesses).not.toEqual([])
        expect(Quantity.parse(`${fits}`).sign()).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
