import type { ClusterFacts } from './cluster-facts.ts'
import { brokenApis, brokenWebhooks, idleQuotas, missingRights, wrongPools } from './cluster-checks.ts'
import type { Finding } from './finding.ts'
import { keyOf } from './finding.ts'
import { wrongLedgers } from './ledger-checks.ts'
import { wrongKarmadaUsage, wrongUsage } from './usage-checks.ts'

const CHECKS: readonly ((facts: ClusterFacts) => readonly Finding[])[] = [
  brokenApis,
  brokenWebhooks,
  missingRights,
  wrongUsage,
  wrongKarmadaUsage,
  wrongLedgers,
  wrongPools,
  idleQuotas,
]

const ORDER: readonly Finding['severity'][] = ['error', 'warning', 'note']

/** All that is wrong with a cluster as it was read, the errors first. */
export const diagnose = (facts: ClusterFacts): readonly Finding[] =>
  CHECKS.flatMap((check) => check(facts)).toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity))

/** The findings of a later look that are there to stay: those of the earlier one that may pass by themselves must be in both. */
export function persistent(earlier: readonly Finding[], later: readonly Finding[]): readonly Finding[] {
  const before = new Set(earlier.map(keyOf))
  return later.filter((one) => !one.mayPass || before.has(keyOf(one)))
}
