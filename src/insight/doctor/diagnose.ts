import type { ClusterFacts } from './cluster-facts.ts'
import { brokenApis, brokenWebhooks, idleQuotas, missingRights, wrongPools } from './cluster-checks.ts'
import { type Finding, isWrong, keyOf } from './finding.ts'
import { idleControllers } from './idle-controllers.ts'
import { wrongLedgers } from './ledger-checks.ts'
import { unmatchedSelectors } from './unmatched-selectors.ts'
import { wrongKarmadaUsage, wrongUsage } from './usage-checks.ts'

const CHECKS: readonly ((facts: ClusterFacts) => readonly Finding[])[] = [
  brokenApis,
  brokenWebhooks,
  missingRights,
  idleControllers,
  wrongUsage,
  wrongKarmadaUsage,
  wrongLedgers,
  wrongPools,
  idleQuotas,
  unmatchedSelectors,
]

const ORDER: readonly Finding['severity'][] = ['error', 'warning', 'note']

/** All that is wrong with a cluster as it was read, the errors first. */
export const diagnose = (facts: ClusterFacts): readonly Finding[] =>
  CHECKS.flatMap((check) => check(facts)).toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))

/**
 * The findings of a later look that are there to stay: those of the earlier one that may pass by themselves must be in both. The later look may not
 * have read the objects of all quotas: the notes of the earlier one stay.
 */
export function persistent(earlier: readonly Finding[], later: readonly Finding[]): readonly Finding[] {
  const [before, after] = [new Set(earlier.map(keyOf)), new Set(later.map(keyOf))]
  return [
    ...later.filter((one) => !one.mayPass || before.has(keyOf(one))),
    ...earlier.filter((one) => !isWrong(one) && !after.has(keyOf(one))),
  ]
}
