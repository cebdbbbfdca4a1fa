import type { QuotaIncrease } from '../api/quota-increase.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import { MOST_QUOTA_BYTES, sizeWithStatus } from '../../../kinds/resource-quota/quota-size.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { cutText, inOneLine } from '../../../machinery/text/shown.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { isNegative, type ResourceList } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { increaseErrors } from './increase-errors.ts'
import { momentOf } from '../../../machinery/text/time.ts'

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
      problems.set(nameOf(increase), problemOf('Expired', `expired at ${increase.spec.expiresAt ?? ''}`))
      return false
    }
    if (expiry !== undefined && !(nextExpiry !== undefined && nextExpiry <= expiry)) nextExpiry = expiry
    const error = errorsUnder(definition.template.spec)(increase)
    if (error !== '') problems.set(nameOf(increase), invalid(error))
    return error === ''
  })
  const fitting = withinOneQuota(definition, valid, problems)
  const usable = definition.mode === 'cumulative' ? notBelowZero(definition, fitting, problems) : fitting
  return { usable, problems, nextExpiry }
}

/** The errors of an increase for a quota with these scopes, worked out once for both: a namespace may have many, of which one changes. */
const errorsUnder = oncePerObject((scopes: QuotaDefinition['template']['spec']) =>
  oncePerObject((increase: QuotaIncrease) => increaseErrors(increase, scopes).map(sentence).join('; ')),
)

const nameOf = ({ metadata: { name = '' } }: QuotaIncrease): string => name

/** Names are ASCII, so code units order them as Kubernetes does. */
const byName = (a: QuotaIncrease, b: QuotaIncrease): number => (nameOf(a) < nameOf(b) ? -1 : 1)

/** The most characters of a problem, which names what the increase has. */
const LONGEST_PROBLEM = 4096

const problemOf = (reason: IncreaseProblem['reason'], message: string): IncreaseProblem => ({
  reason,
  message: cutText(inOneLine(message), LONGEST_PROBLEM),
})

const invalid = (message: string): IncreaseProblem => problemOf('Invalid', message)

const expiryOf = ({ spec: { expiresAt } }: QuotaIncrease): number | undefined => momentOf(expiresAt)

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
  const names = new Set<string>()
  let bytes = 0
  const bytesWith = (more: Iterable<string>): number =>
    bytes + sizeWithStatus(Object.fromEntries([...more].map((name) => [name, WIDE])))
  const take = (more: readonly string[]): void => {
    bytes = bytesWith(more)
    for (const name of more) names.add(name)
  }
  take(Object.keys(template.spec.hard ?? {}))
  return increases.filter((increase) => {
    const more = Object.keys(increase.spec.hard).filter((name) => !names.has(name))
    const wanted = bytesWith(more)
    if (wanted > MOST_QUOTA_BYTES) {
      const message = `spec.hard: the quota would take up to ${wanted} bytes with it, which is more than one quota may`
      problems.set(nameOf(increase), invalid(message))
      return false
    }
    take(more)
    return true
  })
}

/** As long as sums of amounts get. */
const WIDE = '0'.repeat(24)

/**
 * So many amounts are looked at before those that do not fit yet are left out. Each pass over them makes room for another one at least, so with
 * many of them that stay a user could keep the operator busy for minutes.
 */
const MOST_LOOKS = 100_000

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
  const sums = new Sums(amountsOf(template.spec.hard))
  for (const increase of increases) if (!lowers(increase)) sums.add(amountsOf(increase.spec.hard))
  const out = new Set(waiting)
  for (let before = -1; before !== out.size && sums.looks < MOST_LOOKS;) {
    before = out.size
    for (const increase of out) {
      const amounts = amountsOf(increase.spec.hard)
      if (sums.belowZeroWith(amounts).length > 0) continue
      sums.add(amounts)
      out.delete(increase)
    }
  }
  for (const increase of out) {
    const below = sums.belowZeroWith(amountsOf(increase.spec.hard))
    const message = `spec.hard[${below.join(', ')}]: the quota would fall below 0 with it`
    problems.set(nameOf(increase), invalid(message))
  }
  return increases.filter((increase) => !out.has(increase))
}

/** Sums of amounts by name. Another list costs what is in it, however many names there are. */
class Sums {
  /** How many amounts were looked at. */
  looks = 0
  readonly #sums: Map<string, Quantity>

  constructor(first: ResourceList) {
    this.#sums = new Map(Object.entries(first))
  }

  add(amounts: ResourceList): void {
    for (const [name, amount] of Object.entries(amounts)) this.#sums.set(name, this.#with(name, amount))
  }

  /** The names, sorted, that would fall below 0. */
  belowZeroWith(amounts: ResourceList): readonly string[] {
    const entries = Object.entries(amounts)
    this.looks += entries.length
    return entries.flatMap(([name, amount]) => (this.#with(name, amount).sign() < 0 ? [name] : [])).toSorted()
  }

  #with(name: string, amount: Quantity): Quantity {
    return this.#sums.get(name)?.add(amount) ?? amount
  }
}
