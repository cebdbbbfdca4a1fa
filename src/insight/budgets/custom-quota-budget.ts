import { conditionOf } from '../../api/condition.ts'
import type { Budget } from '../../charges/budget.ts'
import { ScopeError } from '../../charges/evaluator.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { type GlobalCustomQuota, globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { ALL_NAMESPACES, ENFORCED, MEASURED } from '../../systems/custom-quota/api/quota-names.ts'
import { compileQuota } from '../../systems/custom-quota/decide/compile-quota.ts'
import { notReadyText, unmeasurableText } from '../../systems/custom-quota/decide/refusal.ts'
import { MeasureError } from '../../systems/custom-quota/decide/measure-error.ts'
import { costOf, countsIn } from '../../systems/custom-quota/decide/object-cost.ts'
import { isCountedKind, kindOfObject, sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { countingEvaluators } from './counting-evaluators.ts'

/** The name of the one limit of a custom quota: that of the field of its spec. */
export const LIMIT = 'limit'

const DIALECT = { strictPaths: false }

type AnyCustomQuota = CustomQuota | GlobalCustomQuota

/**
 * A custom quota of either kind as a budget. Its rule throws ScopeError for an object that it refuses for another reason than lack of room. An object
 * that lowers the sum costs nothing.
 */
export function customQuotaBudget(quota: AnyCustomQuota): Budget {
  const { metadata, spec, status } = quota
  const compilation = compileQuota(spec, DIALECT)
  const compiled = compilation.ok ? compilation.quota : undefined
  const { group, kind } = kindOfObject(quota)
  const ref = { group, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' }
  const used = status?.usage?.used
  const isClosed = compiled === undefined || used === undefined || isWaiting(quota)
  const closed = notReadyText(ref, wholeNumber(metadata.generation) ?? 1)
  const kinds = spec.sources.map(sourceKind)
  const costOrError = (object: KubeObject): Quantity | undefined => {
    if (!kinds.some((one) => isCountedKind(one, kindOfObject(object)))) return undefined
    if (isClosed) throw new ScopeError(closed)
    try {
      return costOf(compiled, object)
    } catch (error) {
      if (!(error instanceof MeasureError)) throw error
      throw new ScopeError(unmeasurableText('CREATE', object, ref, error))
    }
  }
  return {
    ref,
    hard: compiled === undefined ? {} : { [LIMIT]: compiled.limit },
    used: used === undefined ? {} : { [LIMIT]: Quantity.fromJson(used) },
    rule: {
      evaluators: countingEvaluators({
        names: [LIMIT],
        costOf: (object) => ({ [LIMIT]: costOrNothing(object, costOrError) }),
      }),
      countedBy: () => [LIMIT],
      match: (object) => ({ counted: costOrError(object) !== undefined, met: [] }),
    },
  }
}

/** What an object costs that can be measured; the rule of the budget names the others. */
function costOrNothing(object: KubeObject, costOrError: (object: KubeObject) => Quantity | undefined): Quantity {
  try {
    const cost = costOrError(object)
    return cost === undefined || cost.sign() < 0 ? Quantity.zero : cost
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error
    return Quantity.zero
  }
}

/** A quota whose only fault are objects that it cannot measure refuses nothing elsewhere. */
function isWaiting({ metadata: { generation }, status }: AnyCustomQuota): boolean {
  const ready = conditionOf(status?.conditions, 'Ready')
  const isBehind = status?.observedGeneration !== undefined && status.observedGeneration !== generation
  return isBehind || (ready?.status !== 'True' && conditionOf(status?.conditions, MEASURED)?.status !== 'False')
}

/** Does the quota refuse what does not fit? */
export const isEnforced = ({ status }: AnyCustomQuota): boolean =>
  conditionOf(status?.conditions, ENFORCED)?.status !== 'False'

/**
 * Does the quota count in a namespace? `labels`: undefined where the caller may not read the namespace; then the quota itself says where it counts.
 */
export function countsInNamespace(
  quota: AnyCustomQuota,
  name: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (quota.kind !== globalCustomQuota.kind) return quota.metadata.namespace === name
  const compilation = compileQuota(quota.spec, DIALECT)
  if (compilation.ok && (compilation.quota.everywhere || labels !== undefined))
    return countsIn(compilation.quota, name, labels)
  const { namespaces = [] } = quota.status ?? {}
  return namespaces.includes(name) || namespaces.includes(ALL_NAMESPACES)
}
