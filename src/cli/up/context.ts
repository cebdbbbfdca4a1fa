import type { Registry } from '@prometheus-io/client'
import type { UsageHistory } from '../../insight/history/usage-history.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { Metrics } from '../../runtime/process/metrics.ts'
import type { ClockSteps } from '../../runtime/time/clock-steps.ts'
import type { UpOptions } from './options.ts'

/** The objects that all parts of `allot up` use. */
export interface UpContext {
  readonly options: UpOptions
  readonly logger: Logger
  readonly registry: Registry
  readonly metrics: Metrics
  /** What was used of quotas in the last hours, where the operator runs. */
  readonly history: UsageHistory
  readonly clockSteps: ClockSteps
  /** Each part adds what ends it. The parts end in reverse order. */
  readonly closing: AsyncDisposableStack
}
