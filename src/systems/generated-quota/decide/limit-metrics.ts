import type { Gauges, GaugeSample } from '../../../machinery/gauge.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import { compareText } from '../../../machinery/text/compare.ts'
import { fairShares } from '../../../machinery/text/fair-shares.ts'
import { decimalOf, percentageOf } from '../../../quantity/exact-decimal.ts'
import { Quantity, QuantityError } from '../../../quantity/quantity.ts'

/** A quota with limits by resource, as a ResourceQuota or a KarmadaQuota has them in its status. */
export interface LimitedQuota {
  readonly metadata: ObjectMeta
  readonly status?: { readonly hard?: Amounts; readonly used?: Amounts } | undefined
}

type Amounts = Readonly<Record<string, unknown>>

/** How the metrics of a kind of quotas are called. */
export interface LimitMetricNames {
  /** How each name begins, as `allot_resourcequota`. */
  readonly prefix: string
  /** The label that names the quota. */
  readonly label: string
  /** The kind, for the help texts. */
  readonly kind: string
}

/** All quotas of a namespace together have at most so many limits with series: no tenant sets the size of everybody's metrics. */
const MOST_LIMITS = 1000
/** No name of a resource is longer: a prefix of 253 characters, a slash, and a name of 63. */
const LONGEST_NAME = 320

/** The gauges of a kind of quotas with limits by resource. */
export function limitGauges({ prefix, label, kind }: LimitMetricNames): Gauges {
  const labels = [label, 'target_namespace', 'resource']
  return {
    [`${prefix}_limit`]: { help: `The limits of ${kind}s, as their statuses have them`, labels },
    [`${prefix}_usage`]: { help: `The usage of ${kind}s, as their statuses have it`, labels },
    [`${prefix}_usage_percentage`]: {
      help: `The usage of ${kind}s in percent of the limit; a limit of 0 is used to 100 %`,
      labels,
    },
    [`${prefix}_limits_without_series`]: {
      help: `Limits of ${kind}s that have no series, because the quotas of the namespace have more than it may`,
      labels: ['target_namespace'],
    },
  }
}

/**
 * The series of all quotas of a kind as their statuses are now. Quotas of a namespace share a number of limits: each has as many with series as any
 * other, by name, or all. Amounts that cannot be read have none.
 */
export function* limitSamples(
  { prefix, label }: LimitMetricNames,
  quotas: Iterable<LimitedQuota>,
  most: number = MOST_LIMITS,
): Generator<GaugeSample> {
  for (const [target_namespace = '', all] of Map.groupBy(quotas, ({ metadata }) => metadata.namespace)) {
    const inOrder = all.toSorted(byName)
    const limits = inOrder.map(limitNames)
    let left = 0
    for (const [at, share] of fairShares(
      limits.map(({ length }) => length),
      most,
    ).entries()) {
      const [quota, names = []] = [inOrder[at], limits[at]]
      left += names.length - share
      for (const resource of names.slice(0, share)) {
        const labels = { [label]: quota?.metadata.name ?? '', target_namespace, resource }
        yield* seriesOf(prefix, labels, quota?.status?.hard?.[resource], quota?.status?.used?.[resource])
      }
    }
    if (left > 0) yield { name: `${prefix}_limits_without_series`, labels: { target_namespace }, value: String(left) }
  }
}

function seriesOf(prefix: string, labels: GaugeSample['labels'], hard: unknown, used: unknown): readonly GaugeSample[] {
  try {
    const limit = Quantity.fromJson(hard)
    const row = (metric: string, value: string): GaugeSample => ({ name: `${prefix}_${metric}`, labels, value })
    const rows = [row('limit', decimalOf(limit))]
    if (used === undefined) return rows
    const usage = Quantity.fromJson(used)
    const percentage = limit.sign() > 0 ? percentageOf(usage, limit) : '100'
    return [...rows, row('usage', decimalOf(usage)), row('usage_percentage', percentage)]
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return []
  }
}

const limitNames = ({ status }: LimitedQuota): readonly string[] =>
  Object.keys(status?.hard ?? {})
    .filter(({ length }) => length <= LONGEST_NAME)
    .toSorted()

const byName = ({ metadata: a }: LimitedQuota, { metadata: b }: LimitedQuota): number =>
  compareText(a.name ?? '', b.name ?? '')
