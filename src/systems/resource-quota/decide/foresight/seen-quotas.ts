import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { ifReadable } from '../../../../quantity/quantity.ts'
import { add, mask, type ResourceList } from '../../../../quantity/resource-list.ts'
import { type Budget, withUsed } from '../../../../charges/budget.ts'
import { type Charge, decide, type Denied } from '../../../../charges/decide.ts'
import type { Attributes, Evaluators, Measuring } from '../../../../charges/evaluator.ts'
import { ExpectedCharges } from './expected-charges.ts'
import { increases } from '../count/in-flight-usage.ts'
import { quotaBudget } from '../quota-budget.ts'

/** The decision on a request by the quotas of a namespace as they are seen now. */
export type Forecast =
  | { readonly type: 'fits'; readonly charges: readonly Charge[] }
  /** It fits only if requests that are on their way do not get what they need. */
  | { readonly type: 'too early' }
  | { readonly type: 'refused'; readonly decision: Denied }

/** A budget, and the amounts that are expected of it beside its usage. */
export interface FilledBudget {
  readonly budget: Budget
  readonly expected: ResourceList
}

interface SeenQuota {
  readonly quota: ResourceQuota
  readonly expected: ExpectedCharges
}

/** Ends the wait for the charges of one request. `goesOn`: when it went on; undefined where it goes no further. */
export type EndExpectations = (goesOn: number | undefined) => void

/** The ResourceQuotas of one namespace as a replica sees them, which may be older than what the API server decides on. */
export class SeenQuotas {
  readonly #evaluators: Evaluators
  readonly #begin: () => ExpectedCharges
  readonly #quotas = new Map<string, SeenQuota>()
  /** Most quotas are never asked about between two changes. */
  readonly #budgets = new WeakMap<ResourceQuota, Budget | 'unreadable'>()

  /** `patience`: how long after its answer a request is expected to be charged. `Expected` remembers that. */
  constructor(evaluators: Evaluators, patience: number, Expected: typeof ExpectedCharges = ExpectedCharges) {
    this.#evaluators = evaluators
    this.#begin = () => new Expected(patience)
  }

  get count(): number {
    return this.#quotas.size
  }

  set(quota: ResourceQuota): void {
    const { name = '', uid } = quota.metadata
    const known = this.#quotas.get(name)
    const isSame = known !== undefined && known.quota.metadata.uid === uid
    const expected = isSame ? known.expected : this.#begin()
    if (isSame && !expected.isEmpty) expected.rose(increases(this.#usedIn(known.quota), this.#usedIn(quota)))
    this.#quotas.set(name, { quota, expected })
  }

  remove(name: string): void {
    this.#quotas.delete(name)
  }

  /** `at`: the time of the clock by which expectations end. */
  forecast(attributes: Attributes, measuring: Measuring, at: number): Forecast {
    const seen = [...this.#quotas.values()].flatMap(({ quota, expected }) => {
      const budget = this.#budgetOf(quota)
      return budget === 'unreadable' ? [] : [{ budget, expected: expected.amounts(at) }]
    })
    // A request that fits beside all that is expected fits without it.
    const filled = decide({ budgets: seen.map((one) => this.filled(one)), attributes, ...measuring })
    if (filled.verdict === 'admitted') return { type: 'fits', charges: filled.charges }
    const decision = decide({ budgets: seen.map(({ budget }) => budget), attributes, ...measuring })
    return decision.verdict === 'denied' ? { type: 'refused', decision } : { type: 'too early' }
  }

  /** Expects that the API server will charge a request so. */
  expect(charges: readonly Charge[], at: number): EndExpectations {
    const made = charges.flatMap(({ budget: { name }, requested }) => {
      const expected = this.#quotas.get(name)?.expected
      return expected === undefined ? [] : [{ expected, expectation: expected.expect(requested, at) }]
    })
    return (goesOn) => {
      for (const { expected, expectation } of made)
        if (goesOn === undefined) expected.withdraw(expectation)
        else expectation.at = goesOn
    }
  }

  /** A budget with what is expected of it. */
  protected filled({ budget, expected }: FilledBudget): Budget {
    return Object.keys(expected).length === 0
      ? budget
      : withUsed(budget, add(budget.used, mask(expected, Object.keys(budget.used))))
  }

  #usedIn(quota: ResourceQuota): ResourceList {
    const budget = this.#budgetOf(quota)
    return budget === 'unreadable' ? {} : budget.used
  }

  /** Only API servers without validation store an amount that cannot be read; they refuse by it themselves. */
  #budgetOf(quota: ResourceQuota): Budget | 'unreadable' {
    const known = this.#budgets.get(quota)
    if (known !== undefined) return known
    const budget = readableBudget(quota, this.#evaluators)
    this.#budgets.set(quota, budget)
    return budget
  }
}

/** Decides a request on quotas as they were read: what the API server would say at that time. */
export function refusalBy(
  quotas: readonly ResourceQuota[],
  evaluators: Evaluators,
  attributes: Attributes,
  measuring: Measuring,
): Denied | undefined {
  const read = quotas.map((quota) => readableBudget(quota, evaluators))
  const budgets = read.filter((budget) => budget !== 'unreadable')
  const decision = decide({ budgets, attributes, ...measuring })
  return decision.verdict === 'denied' ? decision : undefined
}

function readableBudget(quota: ResourceQuota, evaluators: Evaluators): Budget | 'unreadable' {
  return ifReadable(() => quotaBudget(quota, evaluators), 'unreadable')
}
