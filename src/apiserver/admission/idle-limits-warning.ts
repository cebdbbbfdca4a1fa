import { isResourceQuota, scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { idleLimits, idleWarning, MOST_WARNINGS } from '../../charges/limit-names/idle-limits.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { Registry } from '../resource/registry.ts'
import type { Review } from '../storing/review.ts'
import type { AdmissionPlugin } from './chain.ts'

/** Warns of limits of a ResourceQuota that limit nothing. Kubernetes stores them without a word, and so they are stored. */
export function idleLimitsWarning(registry: Pick<Registry, 'all' | 'generation'>): AdmissionPlugin {
  let offered = new OfferedResources([])
  let generation: number | undefined
  const served = (): OfferedResources => {
    if (generation === registry.generation) return offered
    generation = registry.generation
    offered = new OfferedResources(registry.all().map((one) => one.served))
    return offered
  }
  const validate = ({ resource, subresource, object, oldObject, warn }: Review): void => {
    if (resource.bucket !== 'resourcequotas' || subresource !== '' || warn === undefined) return
    if (object === undefined || !isResourceQuota(object) || jsonEqual(object.spec, oldObject?.['spec'])) return
    const idle = idleLimits(Object.keys(object.spec?.hard ?? {}), {
      evaluators: QUOTA_EVALUATORS,
      offered: served(),
      requirements: scopeRequirements(object.spec),
      most: MOST_WARNINGS,
    })
    for (const limit of idle) warn(idleWarning('spec.hard', limit))
  }
  return { name: 'IdleLimits', validate }
}
