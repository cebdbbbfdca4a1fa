import {
  type ResourceQuota,
  type ScopeRequirement,
  scopeRequirements,
} from '../../kinds/resource-quota/resource-quota.ts'
import { ScopeError } from '../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { podEvaluator } from '../../charges/evaluators/pod.ts'
import { matchingScopes } from '../../charges/evaluators/scopes.ts'
import { canBeMetTogether } from '../../charges/limit-names/met-together.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { MeasureError } from '../../systems/custom-quota/decide/measure-error.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { requirementsOf, selectsPodsOf } from '../../systems/karmada-quota/decide/costs.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { UnmatchedPart } from './finding.ts'

/** The scopes whose values are classes of the cluster. */
export const CLASS_SCOPES: ReadonlyMap<string, GroupResource & { readonly kind: string }> = new Map([
  ['PriorityClass', { group: 'scheduling.k8s.io', resource: 'priorityclasses', kind: 'PriorityClass' }],
  [
    'VolumeAttributesClass',
    { group: 'storage.k8s.io', resource: 'volumeattributesclasses', kind: 'VolumeAttributesClass' },
  ],
])

/** The scopes of a ResourceQuota. */
export function scopesOfQuota(quota: ResourceQuota, facts: ClusterFacts): readonly UnmatchedPart[] {
  const requirements = scopeRequirements(quota.spec)
  const classes = unknownClasses(requirements, facts)
  const evaluators = QUOTA_EVALUATORS.countingTowards(Object.keys(quota.spec?.hard ?? {})).filter((one) =>
    canBeMetTogether(one, requirements),
  )
  if (requirements.length === 0 || evaluators.length === 0) return classes
  const lists = evaluators.map((one) => (facts.isUnread(one) ? undefined : facts.objectsOf(one)))
  const isMatched = evaluators.some((evaluator, index) => {
    const list = lists[index]
    if (list === undefined) return true
    const own = list.filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
    return own.some((one) =>
      orUnknown(() => matchingScopes(evaluator, requirements, one).length === requirements.length),
    )
  })
  return isMatched ? classes : [...classes, unmatchedScopes(evaluators.map(qualified))]
}

/** The scopes of a KarmadaQuota. */
export function scopesOfKarmadaQuota(
  { metadata, spec }: ClusterFacts['karmadaQuotas'][number],
  facts: ClusterFacts,
): readonly UnmatchedPart[] {
  const requirements = requirementsOf(spec)
  const classes = unknownClasses(requirements, facts)
  const bindings = facts.isUnread(RESOURCE_BINDINGS) ? undefined : facts.objectsOf(RESOURCE_BINDINGS)
  if (requirements.length === 0 || bindings === undefined || !canBeMetTogether(podEvaluator, requirements))
    return classes
  const own = bindings.filter((one) => one.metadata.namespace === metadata.namespace)
  const isMatched = own.some((one) => orUnknown(() => selectsPodsOf(requirements, one)))
  return isMatched ? classes : [...classes, unmatchedScopes(['pods of ResourceBindings'])]
}

const unmatchedScopes = (of: readonly string[]): UnmatchedPart => ({
  part: 'scopes',
  text: `its scopes select nothing now among the ${of.join(', ')} of its namespace`,
})

/** Classes that scopes name and the cluster does not have. Where they could not be read, nothing is said. */
export function unknownClasses(
  requirements: readonly ScopeRequirement[],
  { classes }: ClusterFacts,
): readonly UnmatchedPart[] {
  return requirements.flatMap(({ scopeName, values = [] }) => {
    const of = CLASS_SCOPES.get(scopeName)
    const known = of === undefined ? undefined : classes.get(qualified(of))
    if (of === undefined || known === undefined) return []
    return values
      .filter((name) => !known.has(name))
      .map((name) => ({
        part: `${scopeName} ${name}`,
        text: `its scopes name ${of.kind} ${name}, which does not exist now`,
      }))
  })
}

/** What cannot be evaluated may be selected. */
export function orUnknown(isSelected: () => boolean): boolean {
  try {
    return isSelected()
  } catch (error) {
    if (error instanceof ScopeError || error instanceof MeasureError || error instanceof QuantityError) return true
    throw error
  }
}
