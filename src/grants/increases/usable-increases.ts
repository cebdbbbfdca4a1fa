import type { QuotaIncrease } from '../../api/quota-increase/quota-increase.ts'
import type { QuotaDefinition } from '../../api/quota-increase/quota-definition.ts'
import { sizeWithStatus, isTooLarge } from '../../api/resource-quota/quota-size.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { sentence } from '../../machinery/field-error.ts'
import { add, isNegative, type ResourceList } from '../../quantity/resource-list.ts'
import { amountsOf } from '../../api/definition/parsed-amounts.ts'
import { increaseErrors } from './increase-errors.ts'

/** Why an increase contributes nothing although it should. */
export interface IncreaseProblem {
  /** In one word, for Events and metrics. */
  readonly reason: 'Invalid' | 'Expired'
  readonly message: string
}

/** The increases of a namespace that count, by name, and what is wrong with the others. */
export interface UsableIncreases {
  readonly usable: readonly QuotaIncrease[]
  /** By the names of increases. */
  readonly problems: ReadonlyMap<string, IncreaseProblem>
  /** When the next of those that count expires, in milliseconds since the epoch; undefined where none does. */
  readonly nextExpiry: number | undefined
}

/**
 * Parts the increases of a namespace that count from those that cannot apply: expired, invalid, or, in the mode `cumulative`,
 * below what the others leave. None of these keeps the others from applying. `now`: milliseconds since the epoch.
 */
export function usableIncreases(
  definition: QuotaDefinition,
  increases: readonly QuotaIncrease[],
  now: number,
): UsableIncreases {
  const problems = new Map<string, IncreaseProblem>()
  let nextExpiry: number | undefined
  const valid = increases.toSorted(byName).filter((increase) => {
    const expiry = expiryOf(increase)
    if (expiry !== undefined && expiry <= now) {
      const message = `expired at ${increase.spec.expiresAt ?? ''}`
      problems.set(nameOf(increase), { reason: 'Expired', message })
      return false
    }
    if (expiry !== undefined && !(nextExpiry !== undefined && nextExpiry <= expiry)) nextExpiry = expiry
    const errors = increaseErrors(increase, definition.template.spec)
    if (errors.length > 0) problems.set(nameOf(increase), invalid(errors.map(sentence).join('; ')))
    return errors.length === 0
  })
  const fitting = withinOneQuota(definition, valid, problems)
  const usable = definition.mode === 'cumulative' ? notBelowZero(definition, fitting, problems) : fitting
  return { usable, problems, nextExpiry }
}

const nameOf = ({ metadata: { name = '' } }: QuotaIncrease): string => name

/** Names are ASCII, so code units order them as Kubernetes does. */
const byName = (a: QuotaIncrease, b: QuotaIncrease): number => (nameOf(a) < nameOf(b) ? -1 : 1)

const invalid = (message: string): IncreaseProblem => ({ reason: 'Invalid', message })

function expiryOf({ spec: { expiresAt } }: QuotaIncrease): number | undefined {
  const at = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt)
  return Number.isNaN(at) ? undefined : at
}

/** Below so many names no quota is too large, and nobody has to add them up. */
const FEW_NAMES = 1000

/** Leaves out what would make the quota larger than an API server stores, the last by name first. */
function withinOneQuota(
  { template }: QuotaDefinition,
  increases: readonly QuotaIncrease[],
  problems: Map<string, IncreaseProblem>,
): readonly QuotaIncrease[] {
  const count = increases.reduce((sum, { spec }) => sum + Object.keys(spec.hard).length, 0)
  if (count < FEW_NAMES) return increases
  let hard: Record<string, string> = Object.fromEntries(
    Object.keys(template.spec.hard ?? {}).map((name) => [name, WIDE]),
  )
  return increases.filter((increase) => {
    const more = { ...hard, ...Object.fromEntries(Object.keys(increase.spec.hard).map((name) => [name, WIDE])) }
    if (isTooLarge({ spec: { hard: more } } as unknown as ResourceQuota)) {
      const message = `spec.hard: the quota would take up to ${sizeWithStatus(more)} bytes with it, which is more than one quota may`
      problems.set(nameOf(increase), invalid(message))
      return false
    }
    hard = more
    return true
  })
}

/** As long as sums of amounts get. */
const WIDE = '0'.repeat(24)

/**
 * Increases with amounts below 0 count as long as no sum falls below 0, the first by name first; a quota cannot hold less. One
 * that does not count as a whole does not count at all.
 */
function notBelowZero(
  { template }: QuotaDefinition,
  increases: readonly QuotaIncrease[],
  problems: Map<string, IncreaseProblem>,
): readonly QuotaIncrease[] {
  const lowers = (increase: QuotaIncrease): boolean => isNegative(amountsOf(increase.spec.hard)).length > 0
  const waiting = increases.filter(lowers)
  if (waiting.length === 0) return increases
  let sum = increases
    .filter((increase) => !lowers(increase))
    .reduce<ResourceList>((so, { spec }) => add(so, amountsOf(spec.hard)), amountsOf(template.spec.hard))
  const out = new Set(waiting)
  for (let before = -1; before !== out.size;) {
    before = out.size
    for (const increase of out) {
      const next = add(sum, amountsOf(increase.spec.hard))
      if (isNegative(next).length > 0) continue
      sum = next
      out.delete(increase)
    }
  }
  for (const increase of out) {
    const below = isNegative(add(sum, amountsOf(increase.spec.hard)))
    const message = `spec.hard[${below.join(', ')}]: the quota would fall below 0 with it`
    problems.set(nameOf(increase), invalid(message))
  }
  return increases.filter((increase) => !out.has(increase))
}
