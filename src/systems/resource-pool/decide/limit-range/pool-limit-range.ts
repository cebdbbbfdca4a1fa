import { FIELD_MANAGER } from '../../../../api/field-manager.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import type { LimitRangeSpec } from '../../api/limit-range-spec-schema.ts'
import { poolQuotaName } from '../../api/quota-name.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import { defaultLimitRangeSpec, validateLimitRangeSpec } from '../../../../kinds/core/limit-range.ts'
import type { FieldError } from '../../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../../machinery/object.ts'
import { valueAt } from '../../../../machinery/read.ts'
import { equals } from '../../../../quantity/resource-list.ts'
import { hasTooManyLabels, isCrowded, managersReset } from '../../../generated-quota/decide/foreign-metadata.ts'
import { labelsOf, ownerOf } from '../quota/pool-quota.ts'

/** `v1 LimitRange`. */
export interface LimitRange extends KubeObject {
  readonly spec?: LimitRangeSpec
}

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

/** Returns the errors in `spec.limitRange`, in the words of API servers. */
export function limitRangeErrors({ spec }: Pick<ResourcePool, 'spec'>): readonly FieldError[] {
  const limitRange: JsonObject | undefined = spec.limitRange
  return limitRange === undefined ? [] : validateLimitRangeSpec(defaultLimitRangeSpec(limitRange), 'spec.limitRange')
}

/** The LimitRange of a pool in a namespace. `old`: the one that it is written over; its other labels and annotations stay unless they are too many. */
export function poolLimitRange(
  pool: ResourcePool,
  limitRange: LimitRangeSpec,
  namespace: string,
  old?: LimitRange,
): LimitRange {
  const { labels = {}, annotations = {} } = old === undefined || hasTooManyLabels(old) ? {} : old.metadata
  const { finalizers: _, managedFields: __, annotations: ___, ...metadata } = old?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: {
      ...metadata,
      ...managersReset(old),
      name: poolQuotaName(pool.metadata.name ?? ''),
      namespace,
      labels: { ...labels, ...labelsOf(pool) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [ownerOf(pool)],
    },
    spec: defaultLimitRangeSpec(limitRange),
  }
}

/** Does the pool keep this LimitRange? Its labels or its owner say so, or its managed fields: somebody may take both away in one edit. */
export function isKeptBy({ metadata }: KubeObject, pool: ResourcePool): boolean {
  const { name, labels = {}, ownerReferences = [], managedFields = [] } = metadata
  return (
    name === poolQuotaName(pool.metadata.name ?? '') &&
    (Object.entries(labelsOf(pool)).every(([label, value]) => labels[label] === value) ||
      ownerReferences.some(({ uid, controller }) => uid === pool.metadata.uid && controller === true) ||
      managedFields.some(isOfOperator))
  )
}

/** Has the operator written the spec, as it is now? */
const isOfOperator = (entry: JsonObject): boolean =>
  entry['manager'] === FIELD_MANAGER && valueAt(entry, 'fieldsV1', 'f:spec') !== undefined

/** Is the LimitRange as the pool wants it? */
export function isAsWanted(range: LimitRange, pool: ResourcePool, limitRange: LimitRangeSpec): boolean {
  const { labels = {}, ownerReferences = [], finalizers = [] } = range.metadata
  return (
    Object.entries(labelsOf(pool)).every(([label, value]) => labels[label] === value) &&
    ownerReferences.length === 1 &&
    ownerReferences.every(({ uid, controller }) => uid === pool.metadata.uid && controller === true) &&
    finalizers.length === 0 &&
    !isCrowded(range) &&
    isSameSpec(range.spec, defaultLimitRangeSpec(limitRange))
  )
}

/** Do both mean the same? API servers write amounts in a form of their own. */
function isSameSpec(have: LimitRangeSpec | undefined, want: LimitRangeSpec): boolean {
  const limits = have?.limits ?? []
  const wanted = want.limits ?? []
  return (
    limits.length === wanted.length &&
    limits.every((item, at) => {
      const other = wanted[at]
      return (
        other !== undefined &&
        item.type === other.type &&
        LISTS.every((list) => equals(amountsOf(item[list]), amountsOf(other[list])))
      )
    })
  )
}
