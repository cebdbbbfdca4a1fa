import { compiledSpec, isEnforcedIn } from '../../insight/budgets/custom-quota.ts'
import type { Facts } from '../../insight/explain/facts.ts'

/** Compiles the custom quotas that an explanation asks, one a turn: a tenant can write some that take 25 ms each. */
export async function compileInTurns({ customQuotas, namespace }: Facts, turn: () => Promise<void>): Promise<void> {
  for (const quota of customQuotas) {
    if (!isEnforcedIn(quota, namespace)) continue
    await turn()
    compiledSpec(quota.spec)
  }
}
