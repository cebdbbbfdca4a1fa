import { USE_LABEL } from '../api/increase-names.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import type { QuotaIncrease } from '../api/quota-increase.ts'
import { quantityOf, type ResourceList, resourceNames } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { LabelledNamespace } from './definitions.ts'
import { COMBINE } from './modes.ts'
import { type IncreaseProblem, usableIncreases } from './usable-increases.ts'

export interface ApplyIncreasesInput {
  /** The one that the namespace follows. */
  readonly definition: QuotaDefinition
  readonly namespace: LabelledNamespace
  /** Those of the namespace, in any order. */
  readonly increases: readonly QuotaIncrease[]
  /** Milliseconds since the epoch; left out: no increase expires. */
  readonly now?: number
}

/** The result of one increase. */
export interface IncreaseOutcome {
  readonly increase: QuotaIncrease
  /** Its contribution by resource. */
  readonly effect: ResourceList
  /** Is it the one that the namespace names in the mode `singular`? */
  readonly isUsed: boolean
  /** The annotation that says so: `count/secrets: 5, pods: 3`. */
  readonly text: string
  /** Why it contributes nothing although it should. */
  readonly problem: IncreaseProblem | undefined
  /** Is it to be deleted, since it contributes nothing? */
  readonly isDeleted: boolean
}

/** The share of one increase, or of the definition, in a limit. */
export interface Share {
  /** The name of the increase; undefined: the definition. */
  readonly increase: string | undefined
  readonly amount: string
}

export interface IncreasesOutcome {
  /** The limits of the namespace's quota. */
  readonly hard: ResourceList
  /** Sorted by name. */
  readonly increases: readonly IncreaseOutcome[]
  /** Which parts each limit is made of: of sums all, else the one that decides. */
  readonly shares: Readonly<Record<string, readonly Share[]>>
  /** The increase that the namespace names in the mode `singular` and that is not there. */
  readonly missing: string | undefined
  /** When the next increase expires, in milliseconds since the epoch. */
  readonly nextExpiry: number | undefined
}

/**
 * Decides what a definition and the increases of a namespace come to. Ties are decided by name; an increase that cannot apply
 * says why and leaves the others alone. Throws QuantityError where an amount of the definition is invalid.
 */
export function applyIncreases({
  definition,
  namespace,
  increases,
  now = Number.NEGATIVE_INFINITY,
}: ApplyIncreasesInput): IncreasesOutcome {
  const { mode, template, deleteIneffectiveQuotas } = definition
  const { usable, problems, nextExpiry } = usableIncreases(definition, increases, now)
  const named = usable.map(({ metadata: { name = '' }, spec }) => ({ name, amounts: amountsOf(spec.hard) }))
  const wanted = mode === 'singular' ? namespace.labels?.[USE_LABEL] : undefined
  const used = named.find(({ name }) => name === wanted)
  const isThere = increases.some(({ metadata: { name } }) => name === wanted)
  const base = amountsOf(template.spec.hard)
  const { hard, effects } = COMBINE[mode](base, named, used)
  // A label that names nothing may be a slip, which must not cost anybody an increase.
  const mayDelete = deleteIneffectiveQuotas && (wanted === undefined || used !== undefined)
  const outcomes = increases.toSorted(byName).map((increase): IncreaseOutcome => {
    const { name = '' } = increase.metadata
    const effect = effects.get(name) ?? NOTHING
    const isUsed = used?.name === name
    const problem = problems.get(name)
    const isEffective = resourceNames(effect).length > 0 || isUsed
    return {
      increase,
      effect,
      isUsed,
      text: effectText(effect, isUsed),
      problem,
      // The owner of the increase must be able to read the problem.
      isDeleted: mayDelete && !isEffective && problem === undefined,
    }
  })
  return {
    hard,
    increases: outcomes,
    shares: sharesOf(base, hard, outcomes, mode === 'cumulative'),
    missing: wanted !== undefined && !isThere ? wanted : undefined,
    nextExpiry,
  }
}

const NOTHING: ResourceList = Object.freeze({})

const byName = (a: QuotaIncrease, b: QuotaIncrease): number =>
  (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1

/** Returns the contribution of an increase in the form of its annotation (quota operator 0.18). */
function effectText(effect: ResourceList, isUsed: boolean): string {
  const parts = resourceNames(effect).map((name) => `${name}: ${quantityOf(effect, name)?.toString() ?? ''}`)
  const text = parts.join(', ')
  if (!isUsed) return text
  return text === '' ? ACTIVE : `${ACTIVE} ${text}`
}

const ACTIVE = '[active]'

function sharesOf(
  base: ResourceList,
  hard: ResourceList,
  outcomes: readonly IncreaseOutcome[],
  isSum: boolean,
): Readonly<Record<string, readonly Share[]>> {
  const given = new Map<string, Share[]>()
  for (const { increase, effect } of outcomes)
    for (const [name, amount] of Object.entries(effect)) {
      const share = { increase: increase.metadata.name, amount: amount.toString() }
      const known = given.get(name)
      if (known === undefined) given.set(name, [share])
      else known.push(share)
    }
  const entries = resourceNames(hard).map((name) => {
    const others = given.get(name) ?? []
    const first = quantityOf(base, name)
    const own =
      first === undefined || (!isSum && others.length > 0) ? [] : [{ increase: undefined, amount: first.toString() }]
    return [name, [...own, ...others]] as const
  })
  return Object.fromEntries(entries)
}
