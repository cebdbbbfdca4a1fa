import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import { countedSides, poolSides, quotaSides, type Sides } from './limit-sides.ts'
import { RESOURCE_QUOTAS } from './world.ts'

type Amount = string | number
type Amounts = Readonly<Record<string, Amount>>

/** Limits and usage that are expected, by resource. */
export interface ExpectedAmounts {
  readonly hard?: Amounts
  readonly used?: Amounts
}

/** What is expected of a quota with one limit that has no name. */
export interface ExpectedLimit {
  readonly limit?: Amount
  readonly used?: Amount
}

/** Something that is not as expected. */
export interface Unmet {
  /** The expectation, as `quotas[0].used[requests.cpu]`; '' where there is none for it. */
  readonly path: string
  readonly text: string
}

/** The fields of expectations about objects that have limits and usage. */
export const LIMITED = [
  { field: 'quotas', kind: { ...RESOURCE_QUOTAS, namespaced: true }, what: 'quota', sides: quotaSides },
  { field: 'customQuotas', kind: customQuota, what: 'custom quota', sides: countedSides },
  { field: 'globalCustomQuotas', kind: globalCustomQuota, what: 'global custom quota', sides: countedSides },
  { field: 'karmadaQuotas', kind: karmadaQuota, what: 'KarmadaQuota', sides: countedSides },
  { field: 'pools', kind: resourcePool, what: 'pool', sides: poolSides },
] as const satisfies readonly {
  readonly field: string
  readonly kind: GroupResource & { readonly namespaced: boolean }
  readonly what: string
  readonly sides: (object: KubeObject) => Sides
}[]

/** The limits and the usage that are not as expected. */
export function limitProblems(
  what: string,
  wanted: ExpectedAmounts | ExpectedLimit,
  { hard, used }: Sides,
): readonly Unmet[] {
  return [
    ...sideProblems(`${what}: hard`, 'hard', 'hard' in wanted ? (wanted.hard ?? {}) : {}, hard),
    ...('limit' in wanted ? amountProblems(`${what}: limit`, 'limit', wanted.limit, hard[LIMIT]) : []),
    ...(typeof wanted.used === 'object'
      ? sideProblems(`${what}: used`, 'used', wanted.used, used)
      : amountProblems(`${what}: used`, 'used', wanted.used, used[LIMIT])),
  ]
}

const sideProblems = (label: string, side: string, wanted: Amounts, there: Sides['hard']): readonly Unmet[] =>
  Object.entries(wanted).flatMap(([name, amount]) =>
    amountProblems(`${label} ${name}`, `${side}[${name}]`, amount, there[name]),
  )

function amountProblems(label: string, path: string, wanted: Amount | undefined, there: unknown): readonly Unmet[] {
  if (wanted === undefined || isSameAmount(wanted, there)) return []
  const is = typeof there === 'number' ? String(there) : (there ?? 'none')
  return [{ path, text: `${label} is ${JSON.stringify(is)}, expected ${JSON.stringify(String(wanted))}` }]
}

function isSameAmount(wanted: Amount, there: unknown): boolean {
  if (there === undefined) return false
  try {
    return Quantity.parse(String(wanted)).equals(Quantity.fromJson(there))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return String(wanted) === there
  }
}
