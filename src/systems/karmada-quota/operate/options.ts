/** How KarmadaQuotas are enforced, as flags set it. */
export interface KarmadaQuotaOptions {
  /** How long an API server goes on with a request at most, in milliseconds (its `--request-timeout`). */
  readonly requestTimeoutMs: number
  /** How many quotas are reconciled at a time. */
  readonly workers: number
  /** The percentages of a limit at which writers are warned; left out: none. */
  readonly warnAt?: readonly number[]
}
