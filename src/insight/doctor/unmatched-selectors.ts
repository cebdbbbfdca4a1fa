import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { compiledSpec } from '../budgets/custom-quota.ts'
import { idOf } from '../explain/facts.ts'
import { originOf } from '../explain/remedy/more-room.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding, UnmatchedPart } from './finding.ts'
import { scopesOfKarmadaQuota, scopesOfQuota, unknownClasses } from './unmatched-scopes.ts'
import { unmatchedNamespaces, unmatchedSources } from './unmatched-sources.ts'

/** Finds selectors and scopes that select no existing object. They may select later ones. */
export function unmatchedSelectors(facts: ClusterFacts): readonly Finding[] {
  // Selectors of namespaces are checked only where all namespaces were read.
  const [pools, configs] = facts.namespace === undefined ? [facts.pools, facts.increaseConfigs] : [[], []]
  return [
    ...pools
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .flatMap((pool) =>
        found(pool, [
          ...unmatchedNamespaces(pool.spec.selectors ?? [], 'spec.selectors', facts),
          ...unknownClasses(scopeRequirements(pool.spec.quota), facts),
        ]),
      ),
    ...configs.flatMap((config) =>
      found(
        config,
        config.spec.quotas.flatMap(({ selector, template }, index) => [
          ...(selector === undefined
            ? []
            : unmatchedNamespaces([selector], `spec.quotas[${index}].selector`, facts, () => '')),
          ...unknownClasses(scopeRequirements(template.spec), facts),
        ]),
      ),
    ),
    ...facts.customQuotas.flatMap((quota) => {
      const compilation = compiledSpec(quota.spec)
      return compilation.ok ? found(quota, unmatchedSources(quota, compilation.quota, facts)) : []
    }),
    ...facts.quotas
      .filter((quota) => !isOfSeenPool(quota, facts))
      .flatMap((quota) => found(quota, scopesOfQuota(quota, facts))),
    ...facts.karmadaQuotas.flatMap((quota) => found(quota, scopesOfKarmadaQuota(quota, facts))),
  ]
}

const found = (object: KubeObject, parts: readonly UnmatchedPart[]): readonly Finding[] =>
  parts.map((one) => ({
    check: 'unmatched',
    severity: 'note',
    object: idOf(object),
    ...one,
    advice: 'it may be meant for what comes; else correct it',
    mayPass: false,
  }))

/** The pool itself tells of the scopes of its quotas. */
const isOfSeenPool = (quota: ResourceQuota, { pools, namespace }: ClusterFacts): boolean => {
  const origin = originOf(quota)
  return (
    namespace === undefined &&
    pools.some(({ kind, metadata }) => kind === origin?.kind && metadata.name === origin.name)
  )
}
