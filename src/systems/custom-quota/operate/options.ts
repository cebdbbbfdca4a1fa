import type { QuotaBounds } from '../decide/quota-bounds.ts'
import type { ConfiguredRules } from './admission/configured-rules.ts'

/** How custom quotas count and refuse, as flags set it. */
export interface CustomQuotaOptions {
  /** `off`: quotas count and report, and refuse nothing. */
  readonly enforce: 'on' | 'off'
  /** The writes that are sent to the webhook; undefined: all that quotas count. */
  readonly configuredRules: ConfiguredRules | undefined
  /** The answer to requests that concern a quota which is not ready yet. */
  readonly untilReady: 'refuse' | 'allow'
  /** The percentages of a limit at which writers are warned. */
  readonly warnAt: readonly number[]
  /** How long an API server goes on with a request at most, in milliseconds (its `--request-timeout`). */
  readonly requestTimeoutMs: number
  /** Is a path that finds nothing an error, as in Capsule, rather than 0? */
  readonly strictPaths: boolean
  readonly bounds: QuotaBounds
  /** The most CustomQuotas of a namespace. */
  readonly quotasPerNamespace: number
  /** How many quotas are reconciled at a time. */
  readonly workers: number
}
