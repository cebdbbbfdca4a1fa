import type { ResourceQuotaSpec } from '../../kinds/resource-quota/resource-quota.ts'
import type { LabelSelector } from '../../machinery/selector/label.ts'

/** The fate of a quota, or of one of its limits: it is not carried over, or only with a step of the reader's. */
export interface Shortfall {
  /** The quota, as `ClusterResourceQuota team-a`. */
  readonly quota: string
  /** The name of the limit; left out: all of the quota. */
  readonly limit?: string
  readonly effect: 'NotCarriedOver' | 'Differs' | 'ToDo'
  readonly text: string
}

/** Distinguishes a quota from all others. */
export interface QuotaOrigin {
  /** Its kind, in short, as `crq`. */
  readonly kind: string
  /** Its namespace, where its kind has them, and its name. */
  readonly path: readonly string[]
}

/** A quota of another system on several namespaces together. */
export interface GroupQuota {
  /** As `ClusterResourceQuota team-a`. */
  readonly title: string
  readonly origin: QuotaOrigin
  readonly quota: ResourceQuotaSpec
  readonly namespaces: LabelSelector
  readonly shortfalls: readonly Shortfall[]
}
