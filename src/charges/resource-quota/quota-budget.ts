import {
  type ResourceQuota,
  type ScopeRequirement,
  scopeRequirements,
  type QuantityTexts,
} from '../../api/resource-quota/resource-quota.ts'
import { qualified } from '../../machinery/status.ts'
import { parseResourceList, type ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator } from '../evaluator.ts'

/**
 * The names of a quota's limits, and which of them each kind of object counts towards. The answer per kind is computed once
 * and kept, so one value should live as long as the limits it was made of: states made by `withUsed` share it.
 */
export class LimitNames {
  /** Sorted. */
  readonly all: readonly string[]
  readonly #counted = new Map<string, readonly string[]>()

  constructor(names: Iterable<string>) {
    this.all = [...names].toSorted()
  }

  /** The names, sorted, that objects of the evaluator's kind count towards. */
  countedBy(evaluator: Evaluator): readonly string[] {
    const id = qualified(evaluator)
    const known = this.#counted.get(id)
    if (known !== undefined) return known
    const counted = this.all.filter((name) => evaluator.counts(name))
    this.#counted.set(id, counted)
    return counted
  }
}

/** Which objects a quota counts, and towards what: its limits' names and its scopes. */
export interface CountingRule {
  readonly limits: LimitNames
  /** All must match; `spec.scopes` stand first, as `Exists`. */
  readonly scopes: readonly ScopeRequirement[]
}

/** A quota as admission decides on it: parsed once, immutable. What it enforces is `status.hard`. */
export interface QuotaState extends CountingRule {
  readonly name: string
  readonly namespace: string
  /** Tells a quota from a later one of the same name. */
  readonly uid: string
  readonly resourceVersion: string
  readonly hard: ResourceList
  readonly used: ResourceList
}

/**
 * Reads a quota's status and scopes. A quota without `status.hard` limits nothing: `effectiveQuota` gives one its status.
 * Throws QuantityError.
 */
export function quotaState(quota: ResourceQuota): QuotaState {
  const hard = parse(quota.status?.hard)
  return {
    name: quota.metadata.name ?? '',
    namespace: quota.metadata.namespace ?? '',
    uid: quota.metadata.uid ?? '',
    resourceVersion: quota.metadata.resourceVersion ?? '',
    hard,
    used: parse(quota.status?.used),
    limits: new LimitNames(Object.keys(hard)),
    scopes: scopeRequirements(quota.spec),
  }
}

/** The same quota with another usage. */
export function withUsed(state: QuotaState, used: ResourceList): QuotaState {
  return { ...state, used }
}

/** The rule by which a quota is counted anew: that of its spec, which its status will follow. */
export function countingRule(quota: ResourceQuota): CountingRule {
  return { limits: new LimitNames(Object.keys(quota.spec?.hard ?? {})), scopes: scopeRequirements(quota.spec) }
}

function parse(texts: QuantityTexts | undefined): ResourceList {
  return parseResourceList(texts ?? {})
}
