import type { Quantity } from '../../quantity/quantity.ts'
import { compareText } from '../../machinery/text/compare.ts'

export type LimitAmounts = ReadonlyMap<string, Quantity>

/** The bounds of one item of a LimitRange, each in the order of the resources' names. */
export interface Bounds {
  readonly min: LimitAmounts
  readonly max: LimitAmounts
  readonly ratio: LimitAmounts
}

/**
 * The most violations that are reported. A LimitRange and a pod with thousands of names and containers could have
 * millions.
 */
export const MOST_VIOLATIONS = 100

/** By name: what `limitViolations` goes through in order. */
export const inOrder = (amounts: LimitAmounts): LimitAmounts =>
  new Map([...amounts].toSorted(([a], [b]) => compareText(a, b)))

/**
 * How requests and limits break the bounds, as upstream's LimitRanger words it, by bound and resource name. `limits`
 * undefined: the kind has none (claims), and maxima hold for requests. Gives no more than some hundred.
 */
export function limitViolations(
  bounds: Bounds,
  type: string,
  requests: LimitAmounts,
  limits: LimitAmounts | undefined,
): readonly string[] {
  return [
    ...each(bounds.min, (name, least) =>
      belowMinimum(
        `minimum ${name} usage per ${type} is ${least.toString()}`,
        least,
        requests.get(name),
        limits?.get(name),
      ),
    ),
    ...each(bounds.max, (name, most) =>
      aboveMaximum(
        `maximum ${name} usage per ${type} is ${most.toString()}`,
        most,
        requests.get(name),
        limits && { limit: limits.get(name) },
      ),
    ),
    ...each(bounds.ratio, (name, most) =>
      aboveRatio(
        `${name} max limit to request ratio per ${type} is ${most.toString()}`,
        most,
        requests.get(name),
        limits?.get(name),
      ),
    ),
  ]
}

function each(amounts: LimitAmounts, test: (name: string, bound: Quantity) => string | undefined): readonly string[] {
  const problems: string[] = []
  for (const [name, bound] of amounts) {
    const problem = test(name, bound)
    if (problem !== undefined) problems.push(problem)
    if (problems.length >= MOST_VIOLATIONS) break
  }
  return problems
}

function belowMinimum(
  text: string,
  least: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  if (request === undefined) return `${text}.  No request is specified`
  if (request.cmp(least) < 0) return `${text}, but request is ${request.toString()}`
  if (limit !== undefined && limit.cmp(least) < 0) return `${text}, but limit is ${limit.toString()}`
  return undefined
}

function aboveMaximum(
  text: string,
  most: Quantity,
  request: Quantity | undefined,
  limited: { readonly limit: Quantity | undefined } | undefined,
): string | undefined {
  if (limited === undefined && request === undefined) return `${text}.  No request is specified`
  if (limited !== undefined && limited.limit === undefined) return `${text}.  No limit is specified`
  if (limited?.limit !== undefined && limited.limit.cmp(most) > 0)
    return `${text}, but limit is ${limited.limit.toString()}`
  if (request !== undefined && request.cmp(most) > 0) return `${text}, but request is ${request.toString()}`
  return undefined
}

/** limit / request > most, without dividing. */
function aboveRatio(
  text: string,
  most: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string | undefined {
  if (request === undefined || request.isZero()) return `${text}, but no request is specified or request is 0`
  if (limit === undefined || limit.isZero()) return `${text}, but no limit is specified or limit is 0`
  const [asked, allowed] = [request.scaledValue(-9), limit.scaledValue(-9)]
  if (allowed * 1_000_000_000n <= most.scaledValue(-9) * asked) return undefined
  const millionths = (allowed * 2_000_000n + asked) / (2n * asked)
  return `${text}, but provided ratio is ${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
}
