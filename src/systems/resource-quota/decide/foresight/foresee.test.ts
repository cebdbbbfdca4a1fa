import { expect, test } from 'vitest'
import {
  exploreForesight,
  type Foreseeing,
  type ForesightWorld,
} from '../../../../../test/systems/resource-quota/foresight-model.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { mask, type ResourceList } from '../../../../quantity/resource-list.ts'
import { withUsed } from '../../../../charges/budget.ts'
import type { Evaluators } from '../../../../charges/evaluator.ts'
import { ExpectedCharges } from './expected-charges.ts'
import { type ForesightPort, foresee } from './foresee.ts'
import { type FilledBudget, type Forecast, refusalBy, SeenQuotas } from './seen-quotas.ts'

/** One more of each in the long form. */
const MORE = process.env['ALLOT_SOAK'] === '1' ? 1 : 0

const WORLDS: readonly ForesightWorld[] = [
  { limit: 1, used: 0, requests: 2, disturbances: 0 },
  { limit: 2, used: 1, requests: 3, disturbances: 0 },
  { limit: 2, used: 0, requests: 3, disturbances: 0 },
  { limit: 1, used: 0, requests: 3 + MORE, disturbances: 0 },
  { limit: 1, used: 1, requests: 2, disturbances: 1 + MORE },
  { limit: 1, used: 0, requests: 2, disturbances: 1 + MORE },
  { limit: 2, used: 1, requests: 2, disturbances: 1 + MORE },
  { limit: 2, used: 0, requests: 3, disturbances: 1 + MORE },
]

const explored = async (foreseeing: Foreseeing): Promise<string | undefined> => {
  for (const world of WORLDS) {
    const { violation } = await exploreForesight(world, foreseeing)
    if (violation !== undefined) return violation
  }
  return undefined
}

test('in no order of events is a request refused that fits, or room held for one that the quota is seen to refuse', async () => {
  let runs = 0
  for (const world of WORLDS) {
    const exploration = await exploreForesight(world, { foresee, SeenQuotas, refusalBy })
    expect(exploration.violation).toBeUndefined()
    runs += exploration.runs
  }
  expect(runs).toBeGreaterThan(1_000)
})

/** Predictions over a port that some of these take the place of. */
const over = (change: (port: ForesightPort) => Partial<ForesightPort>): Foreseeing => ({
  SeenQuotas,
  refusalBy,
  foresee: (port) => foresee({ ...port, ...change(port) }),
})

const seenBy = (Seen: typeof SeenQuotas): Foreseeing => ({ foresee, refusalBy, SeenQuotas: Seen })

/** `SeenQuotas` that remember otherwise what is expected. */
const expecting = (Expected: typeof ExpectedCharges): Foreseeing =>
  seenBy(
    class extends SeenQuotas {
      constructor(evaluators: Evaluators, patience: number) {
        super(evaluators, patience, Expected)
      }
    },
  )

/** Mutants judge the exploration and not the room that Stryker changes. */
const isSandbox = process.env['MUTATED_ROOM'] !== undefined

test.skipIf(isSandbox).each<readonly [string, Foreseeing, RegExp]>([
  [
    'a refusal on what is seen, without a read',
    over((port) => {
      let last: Forecast | undefined
      return {
        forecast: () => (last = port.forecast()),
        confirm: () => Promise.resolve(last?.type === 'refused' ? last.decision : undefined),
      }
    }),
    /is refused that fitted all the time/,
  ],
  [
    'a refusal that is foreseen and not given',
    {
      SeenQuotas,
      refusalBy,
      foresee: async (port) => {
        const foreseen = await foresee(port)
        return foreseen.type === 'refused' ? { type: 'open', expectations: port.expect([]) } : foreseen
      },
    },
    /room is held in vain/,
  ],
  [
    'a read that makes nobody look again',
    over((port) => {
      let isRead = false
      return {
        forecast: () => (isRead ? { type: 'fits', charges: [] } : port.forecast()),
        confirm: async () => {
          const decision = await port.confirm()
          isRead = decision === undefined
          return decision
        },
      }
    }),
    /room is held in vain/,
  ],
  [
    'requests that do not wait for those ahead of them',
    over(() => ({ change: () => Promise.resolve(false) })),
    /room is held in vain/,
  ],
  ['requests that are expected nowhere', over((port) => ({ expect: () => port.expect([]) })), /room is held in vain/],
  [
    'requests whose charges are not seen',
    expecting(
      class extends ExpectedCharges {
        override rose() {
          // Nothing is paid off.
        }
      },
    ),
    /waits while nothing is on its way/,
  ],
  [
    'expectations that every change ends',
    seenBy(
      class extends SeenQuotas {
        override set(quota: ResourceQuota) {
          this.remove(quota.metadata.name ?? '')
          super.set(quota)
        }
      },
    ),
    /room is held in vain/,
  ],
  [
    'a charge that pays off several requests',
    expecting(
      class extends ExpectedCharges {
        protected override left(risen: ResourceList) {
          return risen
        }
      },
    ),
    /room is held in vain/,
  ],
  [
    'usage that hides what is expected',
    seenBy(
      class extends SeenQuotas {
        protected override filled(one: FilledBudget) {
          const { budget, expected } = one
          const isExpected = Object.keys(expected).length > 0
          return isExpected ? withUsed(budget, mask(expected, Object.keys(budget.used))) : super.filled(one)
        }
      },
    ),
    /room is held in vain/,
  ],
])('the exploration notices %s', async (_, foreseeing, violation) => {
  expect(await explored(foreseeing)).toMatch(violation)
})
