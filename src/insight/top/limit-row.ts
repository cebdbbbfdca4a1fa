import type { Budget } from '../../charges/budget.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { compareText } from '../../machinery/text/compare.ts'

/** How near a usage is to its limit. `full`: nothing more fits, also where the limit is 0. `unknown`: nobody has counted yet. */
export type Fill = 'room' | 'full' | 'over' | 'unknown'

/** One limit with its usage. */
export interface LimitRow {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly resource: string
  readonly hard: string
  /** Absent: it has not been counted yet. */
  readonly used?: string
  /** The part of a global quota that the namespace uses which was asked about. Absent where the quota does not say it. */
  readonly usedInNamespace?: string
  readonly fill: Fill
  /** The usage in percent of the limit, rounded down. Absent where the limit is 0 or the usage unknown. */
  readonly percent?: number
  /** In how many seconds nothing will be left if usage goes on growing like this. Absent where nothing points to that, and where nobody has watched. */
  readonly exhaustedInSeconds?: number
}

/** A row with what it is sorted by. */
export interface RankedRow {
  readonly row: LimitRow
  /** The usage in billionths of the limit; undefined where the limit is 0 or the usage unknown. */
  readonly share: bigint | undefined
}

type Named = Pick<LimitRow, 'namespace' | 'kind' | 'name'>

/** Quantities are exact to a billionth. */
const FINEST = -9
const BILLION = 1_000_000_000n
const PERCENT = BILLION / 100n
/** Percents that a number still holds exactly. */
const MOST_PERCENT = BigInt(Number.MAX_SAFE_INTEGER)

/** The limits of a budget, one row each. */
export const rowsOfBudget = ({ ref: { kind, namespace, name }, hard, used }: Budget): readonly RankedRow[] =>
  rowsOf({ kind, namespace, name }, hard, used)

/** The rows of limits with their usage, in no order. */
export const rowsOf = (named: Named, hard: ResourceList, used: ResourceList): readonly RankedRow[] =>
  Object.entries(hard).map(([resource, limit]) => rowOf({ ...named, resource }, limit, quantityOf(used, resource)))

function rowOf(named: Named & Pick<LimitRow, 'resource'>, hard: Quantity, used: Quantity | undefined): RankedRow {
  const shown = { ...named, hard: hard.toString() }
  if (used === undefined) return { row: { ...shown, fill: 'unknown' }, share: undefined }
  const fill = used.cmp(hard) > 0 ? 'over' : used.cmp(hard) === 0 || hard.sign() <= 0 ? 'full' : 'room'
  const row = { ...shown, used: used.toString(), fill } as const
  if (hard.sign() <= 0) return { row, share: undefined }
  const share = (used.scaledValue(FINEST) * BILLION) / hard.scaledValue(FINEST)
  const percent = share / PERCENT
  return { row: { ...row, percent: Number(percent < MOST_PERCENT ? percent : MOST_PERCENT) }, share }
}

/**
 * Sorts by the nearness to the limit: what is over it first, then what is full. A limit of 0 of which nothing is used comes after those with room: it
 * mostly forbids on purpose, in many namespaces. What nobody has counted comes last.
 */
export function byNearness(a: RankedRow, b: RankedRow): number {
  return rankOf(a) - rankOf(b) || compareShares(b.share ?? 0n, a.share ?? 0n) || byName(a.row, b.row)
}

function rankOf({ row: { fill }, share }: RankedRow): number {
  if (fill === 'unknown') return 4
  if (fill === 'over') return 0
  if (fill === 'full') return share === undefined ? 3 : 1
  return 2
}

const compareShares = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))
const byName = (a: LimitRow, b: LimitRow): number =>
  compareText(a.namespace, b.namespace) ||
  compareText(a.kind, b.kind) ||
  compareText(a.name, b.name) ||
  compareText(a.resource, b.resource)
