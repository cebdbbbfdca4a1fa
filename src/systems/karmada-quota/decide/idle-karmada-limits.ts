import type { KarmadaQuotaSpec } from '../api/karmada-quota.ts'
import { mayBearPods } from '../../../api/pod-bearers.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import { canBeMetTogether } from '../../../charges/limit-names/met-together.ts'
import { requirementsOf } from './costs.ts'
import { trackedResource } from './tracked-resource.ts'

const NO_PODS = 'limits nothing: a scope selects pods, and objects of this resource have none'
const NOT_OF_PODS = 'limits nothing: a ResourceBinding says only what pods request, and no pod requests this'
const NEVER_MET = 'no pod can meet all of these requirements, so that the quota limits nothing'

/**
 * The errors in limits of a valid KarmadaQuota that limit nothing, whatever bindings there are. Those that are stored already stay: they do no
 * harm, and a quota with an error is closed.
 */
export function idleKarmadaLimits(spec: KarmadaQuotaSpec): readonly FieldError[] {
  const requirements = requirementsOf(spec)
  const idle = Object.keys(spec.hard ?? {})
    .toSorted()
    .flatMap((name): readonly FieldError[] => {
      const tracked = trackedResource(name)
      const path = `spec.hard[${name}]`
      if (tracked?.type === 'requests') return isForPods(name) ? [] : [invalid(path, name, NOT_OF_PODS)]
      const isIdle = tracked?.type === 'objects' && requirements.length > 0 && !mayBearPods(tracked.resource)
      return isIdle ? [invalid(path, name, NO_PODS)] : []
    })
  if (requirements.length === 0 || canBeMetTogether(podEvaluator, requirements)) return idle
  return [...idle, invalid('spec.scopeSelector', spec.scopeSelector, NEVER_MET)]
}

/** Bindings have the requests of pods by the names that pods use, with or without the prefix of quotas. */
function isForPods(name: string): boolean {
  const isOfOthers = QUOTA_EVALUATORS.entries.some((one) => one !== podEvaluator && one.counts(name))
  return !isOfOthers || podEvaluator.counts(name)
}
