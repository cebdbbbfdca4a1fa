import type { Expectations } from '../../insight/simulate/expectations.ts'
import { LIMITED } from '../../insight/simulate/expected-limits.ts'
import { isObject } from '../../machinery/object.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'

/** What is wrong with a field of a test. */
export interface Problem {
  /** The field, as `quotas[0].used[requests.cpu]`. */
  readonly path: string
  readonly text: string
}

/** Sources of custom quotas may subtract. */
const MAY_BE_NEGATIVE: ReadonlySet<string> = new Set(['customQuotas', 'globalCustomQuotas'])

/** The expected limits and usage that are no amounts: nothing could ever meet them. */
export const amountProblems = (expected: Expectations): readonly Problem[] =>
  LIMITED.flatMap(({ field }) =>
    (expected[field] ?? []).flatMap((item, index) =>
      amountsIn(item, `${field}[${index}]`).flatMap(([path, value]) => {
        const problem = problemOf(value, MAY_BE_NEGATIVE.has(field))
        return problem === undefined
          ? []
          : [{ path, text: `${path}: Invalid value: ${JSON.stringify(value)}: ${problem}` }]
      }),
    ),
  )

function amountsIn(item: object, path: string): readonly (readonly [path: string, value: unknown])[] {
  return Object.entries(item).flatMap(([field, value]) => {
    if (!['hard', 'used', 'limit'].includes(field)) return []
    if (!isObject(value)) return [[`${path}.${field}`, value] as const]
    return Object.entries(value).map(([name, amount]) => [`${path}.${field}[${name}]`, amount] as const)
  })
}

function problemOf(value: unknown, mayBeNegative: boolean): string | undefined {
  try {
    const isNegative = Quantity.parse(String(value)).cmp(Quantity.zero) < 0
    return isNegative && !mayBeNegative ? 'must be greater than or equal to 0' : undefined
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return error.message
  }
}
