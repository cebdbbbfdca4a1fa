/**
 * Whether allot counts ResourceQuotas: `auto` where the cluster has no controller that does, `controller` in any case. Counting beside
 * another controller is safe, but both write the same status.
 */
export const ENFORCE_RESOURCE_QUOTA = ['off', 'auto', 'controller'] as const
export type EnforceResourceQuota = (typeof ENFORCE_RESOURCE_QUOTA)[number]

export interface ResourceQuotaOptions {
  readonly enforce: EnforceResourceQuota
  /** How long an API server goes on with a request at most, in milliseconds (its `--request-timeout`). */
  readonly requestTimeoutMs: number
  /** How many namespaces are counted at a time. */
  readonly workers: number
}
