import { expect, test } from 'vitest'
import { exploreForesight, type Foreseeing, type ForesightWorld } from '../../../test/charges/foresight-model.ts'
import { mutant, type Mutation, unchanged } from '../../../test/charges/mutant.ts'
import * as quantityModule from '../../quantity/quantity.ts'
import * as resourceLists from '../../quantity/resource-list.ts'
import * as budget from '../budget.ts'
import * as decide from '../decide.ts'
import { foresee } from './foresee.ts'
import * as inFlightUsage from './in-flight-usage.ts'
import * as quotaBudget from './quota-budget.ts'
import { refusalBy, SeenQuotas } from './seen-quotas.ts'

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

test('in no order of events is a request refused that fits, or room held for one that the quota is seen to refuse [29/native-order]', async () => {
  let runs = 0
  for (const world of WORLDS) {
    const exploration = await exploreForesight(world, { foresee, SeenQuotas, refusalBy })
    expect(exploration.violation).toBeUndefined()
    runs += exploration.runs
  }
  expect(runs).toBeGreaterThan(1_000)
})

const place = (file: string): URL => new URL(file, import.meta.url)
const LISTS = '../../quantity/resource-list.ts'
const EXPECTED = './expected-charges.ts'

/** `SeenQuotas` with one of its files changed. */
function seenWith(file: 'seen-quotas.ts' | 'expected-charges.ts', mutation: Mutation): Foreseeing {
  const lists = { [LISTS]: resourceLists }
  const isExpected = file === 'expected-charges.ts'
  const expected = isExpected ? mutant(place(file), mutation, lists) : unchanged(place('expected-charges.ts'), lists)
  const imports = {
    ...lists,
    '../../quantity/quantity.ts': quantityModule,
    '../budget.ts': budget,
    '../decide.ts': decide,
    [EXPECTED]: expected,
    './in-flight-usage.ts': inFlightUsage,
    './quota-budget.ts': quotaBudget,
  }
  const seen = isExpected
    ? unchanged(place('seen-quotas.ts'), imports)
    : mutant(place('seen-quotas.ts'), mutation, imports)
  return { foresee, ...(seen as unknown as Pick<Foreseeing, 'SeenQuotas' | 'refusalBy'>) }
}

const foreseeWith = (mutation: Mutation): Foreseeing => ({
  SeenQuotas,
  refusalBy,
  ...(mutant(place('foresee.ts'), mutation, {}) as unknown as Pick<Foreseeing, 'foresee'>),
})

/** Stryker's sandbox holds sources that it has changed itself. */
const isSandbox = process.env['MUTATED_ROOM'] !== undefined

test.skipIf(isSandbox).each<readonly [string, () => Foreseeing, RegExp]>([
  [
    'a refusal on what is seen, without a read',
    () => foreseeWith({ find: 'await port.confirm()', replace: 'forecast.decision' }),
    /is refused that fitted all the time/,
  ],
  [
    'a refusal that is foreseen and not given',
    () => foreseeWith({ find: "return { type: 'refused', decision }", replace: 'continue' }),
    /room is held in vain/,
  ],
  [
    'a read that makes nobody look again',
    () =>
      foreseeWith({
        find: 'if (decision === undefined) continue',
        replace: "if (decision === undefined) return { type: 'open', expectations: port.expect([]) }",
      }),
    /room is held in vain/,
  ],
  [
    'requests that do not wait for those ahead of them',
    () => foreseeWith({ find: 'if (await port.change()) continue', replace: '' }),
    /room is held in vain/,
  ],
  [
    'requests that are expected nowhere',
    () => foreseeWith({ find: 'port.expect(forecast.charges)', replace: 'port.expect([])' }),
    /room is held in vain/,
  ],
  [
    'requests whose charges are not seen',
    () => seenWith('seen-quotas.ts', { find: 'expected.rose(', replace: 'void (' }),
    /waits while nothing is on its way/,
  ],
  [
    'expectations that every change ends',
    () =>
      seenWith('seen-quotas.ts', {
        find: 'isSame ? known.expected : new',
        replace: 'isSame && known.expected.isEmpty ? known.expected : new',
      }),
    /room is held in vain/,
  ],
  [
    'a charge that pays off several requests',
    () => seenWith('expected-charges.ts', { find: 'rest = subtract(rest, paid)', replace: '' }),
    /room is held in vain/,
  ],
  [
    'usage that hides what is expected',
    () =>
      seenWith('seen-quotas.ts', {
        find: 'add(budget.used, mask(expected, Object.keys(budget.used)))',
        replace: 'mask(expected, Object.keys(budget.used))',
      }),
    /room is held in vain/,
  ],
])('the exploration notices %s [29/native-order]', async (_, foreseeing, violation) => {
  expect(await explored(foreseeing())).toMatch(violation)
})
