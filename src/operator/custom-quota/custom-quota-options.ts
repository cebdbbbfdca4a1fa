import type { QuotaBounds } from '../../charges/custom-quota/quota-bounds.ts'

/** How custom quotas count, as flags set it. */
export interface CustomQuotaOptions {
  /** Is a path that finds nothing an error, as in Capsule, rather than 0? */
  readonly strictPaths: boolean
  readonly bounds: QuotaBounds
  /** The most CustomQuotas of a namespace. */
  readonly quotasPerNamespace: number
  /** How many quotas are reconciled at a time. */
  readonly workers: number
}
