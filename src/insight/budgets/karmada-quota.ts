import type { Budget } from '../../charges/budget.ts'
import { ScopeError } from '../../charges/evaluator.ts'
import { sentence } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { parseResourceList, type ResourceList } from '../../quantity/resource-list.ts'
import { type KarmadaQuota, karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { compileKarmadaQuota, costsOf } from '../../systems/karmada-quota/decide/costs.ts'
import { validateKarmadaQuota } from '../../systems/karmada-quota/decide/validate-quota.ts'
import { countingEvaluators } from './counting-evaluators.ts'

/**
 * A KarmadaQuota as a budget of the bindings of its namespace. Its rule throws ScopeError for a binding whose requests cannot be read, and for each
 * binding where the spec has a mistake. A limit without a usage has not been counted yet.
 */
export function karmadaQuotaBudget(quota: KarmadaQuota): Budget {
  const { metadata, spec, status } = quota
  const { name = '', namespace = '' } = metadata
  const ref = { group: karmadaQuota.group, kind: karmadaQuota.kind, namespace, name }
  const problems = validateKarmadaQuota(quota).map(sentence)
  const compiled = problems.length > 0 ? undefined : compileKarmadaQuota(spec)
  const names = [...(compiled?.tracked.keys() ?? [])]
  const costOf = (binding: KubeObject): ResourceList => {
    if (compiled === undefined)
      throw new ScopeError(`KarmadaQuota ${JSON.stringify(name)} is invalid: ${problems.join('; ')}`)
    return costsOf(compiled, binding)
  }
  return {
    ref,
    hard: compiled?.hard ?? {},
    used: parseResourceList(status?.used ?? {}),
    rule: {
      evaluators: countingEvaluators({
        names,
        isOf: ({ group, resource }) => group === RESOURCE_BINDINGS.group && resource === RESOURCE_BINDINGS.resource,
        costOf,
      }),
      countedBy: () => names,
      match: (binding) => {
        try {
          costOf(binding)
          return { counted: true, met: [] }
        } catch (error) {
          if (error instanceof QuantityError)
            throw new ScopeError(`the requests of the ResourceBinding are invalid: ${error.message}`)
          throw error
        }
      },
    },
  }
}
