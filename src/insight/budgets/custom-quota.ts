import { conditionOf } from '../../api/condition.ts'
import { CLUSTER_NAMESPACES } from '../../api/cluster-namespaces.ts'
import type { Budget, BudgetRef } from '../../charges/budget.ts'
import { ScopeError } from '../../charges/evaluator.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { type GlobalCustomQuota, globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import {
  ALL_NAMESPACES,
  ENFORCED,
  ENFORCEMENT_OFF,
  EXEMPT_NAMESPACE,
} from '../../systems/custom-quota/api/quota-names.ts'
import { type CompiledQuota, compileQuota, validLimit } from '../../systems/custom-quota/decide/compile-quota.ts'
import { isClosedIn, isFoundReady } from '../../systems/custom-quota/decide/found-ready.ts'
import { closedNamespaceText, notReadyText, unmeasurableText } from '../../systems/custom-quota/decide/refusal.ts'
import { MeasureError } from '../../systems/custom-quota/decide/measure-error.ts'
import { costOf, countsIn } from '../../systems/custom-quota/decide/object-cost.ts'
import { NamespaceEffort } from '../../systems/custom-quota/decide/quota-bounds.ts'
import { shownProblems } from '../../systems/custom-quota/decide/shown-problems.ts'
import { isCountedKind, kindOfObject, sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { countingEvaluators } from './counting-evaluators.ts'

/** The name of the one limit of a custom quota: that of the field of its spec. */
export const LIMIT = 'limit'

/** Reasons of the condition `Enforced` of a quota that refuses nothing at all; any other is about some kinds or namespaces. */
const REFUSES_NOTHING: ReadonlySet<string> = new Set([ENFORCEMENT_OFF, EXEMPT_NAMESPACE])

type AnyCustomQuota = CustomQuota | GlobalCustomQuota

/** Compiling may take milliseconds, and a quota is asked for several things. */
export const compiledSpec = oncePerObject((spec: AnyCustomQuota['spec']) => compileQuota(spec, { strictPaths: false }))

/** The work that is left to measure an object for all CustomQuotas of its namespace; see `Effort`. */
export type EffortOf = (object: KubeObject) => NamespaceEffort

/** One for all CustomQuotas of a namespace that are looked at together. */
export const sharedEffort = (): EffortOf => oncePerObject(() => new NamespaceEffort())

/**
 * A custom quota of either kind as a budget. Its rule throws ScopeError for an object that it refuses for another reason than lack of room. An object
 * that costs nothing, or lowers the sum, is never refused. `effortOf` is left out for a quota that is looked at alone.
 */
export function customQuotaBudget(quota: AnyCustomQuota, effortOf?: EffortOf): Budget {
  const { spec, status } = quota
  /** Only for objects that it may count. */
  const compiledQuota = (): CompiledQuota | undefined => {
    const compilation = compiledSpec(spec)
    return compilation.ok ? compilation.quota : undefined
  }
  const ref = refOf(quota)
  const limit = validLimit(spec)
  const used = status?.usage?.used
  const kinds = spec.sources.map(sourceKind)
  const isGlobal = quota.kind === globalCustomQuota.kind
  // A budget is asked for the cost of an object several times.
  const measure = oncePerObject((object: KubeObject) => {
    const compiled = compiledQuota()
    return compiled && measured(compiled, object, isGlobal ? undefined : effortOf?.(object))
  })
  /** Undefined for an object that is not counted. */
  const costOrError = (object: KubeObject): Quantity | undefined => {
    if (!kinds.some((one) => isCountedKind(one, kindOfObject(object)))) return undefined
    const cost = measure(object)
    if (cost instanceof MeasureError) throw new ScopeError(unmeasurableText('CREATE', object, ref, cost))
    if (compiledQuota() !== undefined && (cost === undefined || cost.sign() <= 0)) return cost && Quantity.zero
    const closed = closedText(quota, ref, object.metadata.namespace ?? '')
    if (closed !== undefined) throw new ScopeError(closed)
    return cost
  }
  return {
    ref,
    hard: limit === undefined ? {} : { [LIMIT]: limit },
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

function refOf({ apiVersion, kind, metadata: { namespace = '', name = '' } }: AnyCustomQuota): BudgetRef {
  const { group } = kindOfObject({ apiVersion, kind })
  return { group, kind, namespace, name }
}

function measured(
  compiled: CompiledQuota,
  object: KubeObject,
  effort: NamespaceEffort | undefined,
): Quantity | MeasureError | undefined {
  try {
    return costOf(compiled, object, effort)
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
}

/** What an object costs that can be measured; the rule of the budget names the others. */
function costOrNothing(object: KubeObject, costOrError: (object: KubeObject) => Quantity | undefined): Quantity {
  try {
    return costOrError(object) ?? Quantity.zero
  } catch (error) {
    if (!(error instanceof ScopeError)) throw error
    return Quantity.zero
  }
}

/** Why the quota refuses whatever costs something in a namespace; undefined where it decides by its limit. */
function closedText({ metadata, status }: AnyCustomQuota, ref: BudgetRef, namespace: string): string | undefined {
  const isClosed = isClosedIn(namespace, status)
  if (isClosed !== undefined)
    return isClosed ? closedNamespaceText(ref, namespace, problemsIn(namespace, status)) : undefined
  const isOpen = status?.usage?.used !== undefined && isFoundReady(status)
  return isOpen ? undefined : notReadyText(ref, wholeNumber(metadata.generation) ?? 1)
}

/** Why objects of a namespace cannot be measured: of others nothing is said there. */
export const problemsIn = (namespace: string, status: AnyCustomQuota['status']): string =>
  shownProblems(conditionOf(status?.conditions, 'Ready')?.message ?? '', (one) => one === namespace)

/**
 * Does the quota refuse what does not fit in this namespace? One that nobody has ever counted does not: no operator runs, or it has not seen the quota
 * yet.
 */
export function isEnforcedIn({ status }: AnyCustomQuota, namespace: string): boolean {
  const enforced = conditionOf(status?.conditions, ENFORCED)
  const isOff = enforced?.status === 'False' && REFUSES_NOTHING.has(enforced.reason)
  const isCounted = conditionOf(status?.conditions, 'Ready') !== undefined
  return isCounted && !isOff && !CLUSTER_NAMESPACES.has(namespace)
}

/**
 * Does the quota count in a namespace? `labels`: undefined where the caller may not read the namespace; then the quota itself says where it counts.
 */
export function countsInNamespace(
  quota: AnyCustomQuota,
  name: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (quota.kind !== globalCustomQuota.kind) return quota.metadata.namespace === name
  const compilation = compiledSpec(quota.spec)
  if (compilation.ok && (compilation.quota.everywhere || labels !== undefined))
    return countsIn(compilation.quota, name, labels)
  const { namespaces = [] } = quota.status ?? {}
  return namespaces.includes(name) || namespaces.includes(ALL_NAMESPACES)
}
