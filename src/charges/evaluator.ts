import type { ScopeRequirement } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { GroupResource } from '../machinery/status.ts'
import type { ResourceList } from '../quantity/resource-list.ts'
import type { Lookup } from './lookup.ts'

/** The operation of a request on one object, as admission sees it: defaulted, mutated and with its generated name. */
export interface Attributes extends GroupResource {
  /** Empty for the object itself, else for example `status` or `resize`. */
  readonly subresource: string
  readonly kind?: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly name: string
  readonly namespace: string
  readonly object: KubeObject
  readonly oldObject?: KubeObject
  readonly dryRun: boolean
}

/** Measuring needs to know the time: a pod past its deletion grace is no longer charged. And sometimes other objects. */
export interface Measuring {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Without it an object is measured as if it were alone. */
  readonly lookup?: Lookup | undefined
}

/** A quota demands an explicit value of this resource, and these containers do not give it. */
export interface MissingValue {
  readonly resource: string
  /** Sorted. */
  readonly containers: readonly string[]
}

/** A scope requirement that cannot be evaluated, for example `In` without values. Upstream answers HTTP 500. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError'
}

/** Reports whether an object meets one requirement. Throws ScopeError if the requirement is nonsense. */
export type ScopeTest = (object: KubeObject, requirement: ScopeRequirement) => boolean

/**
 * How objects of one resource are charged to budgets: what `decide` and `recount` read (upstream `quota.Evaluator`; for
 * ResourceQuota, docs/concepts/charging.md). A value without state.
 */
export interface Evaluator extends GroupResource {
  /** Must a request of this shape be charged at all? */
  readonly handles: (attributes: Attributes) => boolean
  /** Reports whether a limit of this name counts such objects. */
  readonly counts: (resourceName: string) => boolean
  /** The names that it counts; `*` stands for any class, size or domain. */
  readonly names: readonly string[]
  /** Reports whether a valid object can be charged under a counted name. Absent: under each name. */
  readonly charges?: (resourceName: string) => boolean
  /** The scopes such objects can have; absent for kinds that have none, which no scoped quota ever counts. */
  readonly scopes?: ReadonlyMap<string, ScopeTest>
  /** Objects in every combination of scopes, of each of these classes and of none; absent with `scopes`. */
  readonly scopeExamples?: (classes: readonly string[]) => readonly KubeObject[]
  /** A text that differs where two states of an object may be in different scopes; absent with `scopes`. */
  readonly scopeFacts?: (object: KubeObject) => string
  /** The values that a quota with these (matching) names demands and the object lacks, sorted by resource. */
  readonly missing?: (names: readonly string[], object: KubeObject) => readonly MissingValue[]
  /**
   * Returns the next time at which the cost of the object changes without a write, in milliseconds since the epoch. It
   * must then be counted anew. Absent if only writes change the cost; returns undefined if the cost of this object
   * stays.
   */
  readonly expiry?: (object: KubeObject) => number | undefined
  /**
   * Reports whether the cost of the object may depend on other objects of its namespace, or their cost on it. A write
   * of such an object makes its namespace be counted anew. Absent if it never does.
   */
  readonly entangled?: (object: KubeObject) => boolean
  /** Whether every object costs the same. Then a counter need not keep the content of objects. */
  readonly isUniform?: boolean
  /** Returns the cost of the object, for every name that may count it. Throws QuantityError on an invalid amount. */
  readonly usage: (object: KubeObject, measuring: Measuring) => ResourceList
}

/** The evaluators of a kind of budgets, by resource. Callers that decide or count pass them in. */
export interface Evaluators {
  /** Undefined for a resource whose objects are never charged. */
  of(resource: GroupResource): Evaluator | undefined
}
