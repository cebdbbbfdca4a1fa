import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, valueAt } from '../../machinery/read.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { LIMIT } from '../budgets/custom-quota.ts'

type Amounts = Readonly<Record<string, unknown>>

/** The limits of an object and what is used of them, as they stand in it. */
export interface Sides {
  readonly hard: Amounts
  readonly used: Amounts
}

const NONE: Sides = { hard: {}, used: {} }

export const quotaSides = (object: KubeObject | undefined): Sides =>
  object !== undefined && isResourceQuota(object)
    ? { hard: object.spec?.hard ?? {}, used: object.status?.used ?? {} }
    : NONE

/** Of a quota that counts objects: its usage as far as it has been counted. */
export function countedSides(object: KubeObject | undefined): Sides {
  if (object === undefined) return NONE
  if (object.kind === karmadaQuota.kind)
    return { hard: objectOf(valueAt(object, 'spec', 'hard')), used: objectOf(valueAt(object, 'status', 'used')) }
  const used = valueAt(object, 'status', 'usage', 'used')
  return { hard: { [LIMIT]: valueAt(object, 'spec', 'limit') }, used: used === undefined ? {} : { [LIMIT]: used } }
}

/** Of a pool: its size, and what claims have of it. */
export const poolSides = (object: KubeObject | undefined): Sides => ({
  hard: objectOf(valueAt(object, 'spec', 'quota', 'hard')),
  used: objectOf(valueAt(object, 'status', 'allocation', 'used')),
})
