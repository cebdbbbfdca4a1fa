/**
 * The parts of enforcing ResourceQuotas that allot takes over: `admission` refuses what exceeds a quota, `controller` counts, and
 * `auto` finds out which of them the cluster lacks. Counting beside another controller is safe, but both write the same status;
 * admission beside the plugin of the API server charges twice, and refuses what fits both.
 */
export const ENFORCE_RESOURCE_QUOTA = ['off', 'auto', 'admission', 'controller', 'both'] as const
export type EnforceResourceQuota = (typeof ENFORCE_RESOURCE_QUOTA)[number]

export interface ResourceQuotaOptions {
  readonly enforce: EnforceResourceQuota
  /** Are authors warned of limits that limit nothing? `allot up` warns of them itself. */
  readonly warns: boolean
  /** How long an API server goes on with a request at most, in milliseconds (its `--request-timeout`). */
  readonly requestTimeoutMs: number
  /** How many namespaces are counted at a time. */
  readonly workers: number
  /** The percentages of a limit at which writers are warned; left out: none. */
  readonly warnAt?: readonly number[]
}
