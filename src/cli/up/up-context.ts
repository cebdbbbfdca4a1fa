import type { Registry } from '@prometheus-io/client'
import type { Logger } from '../../runtime/process/logger.ts'
import type { Metrics } from '../../runtime/process/metrics.ts'
import type { ClockSteps } from '../../runtime/time/clock-steps.ts'
import type { UpOptions } from './up-options.ts'

/** The objects that all parts of `allot up` use. */
export interface UpContext {
  readonly options: UpOptions
  readonly logger: Logger
  readonly registry: Registry
  readonly metrics: Metrics
  readonly clockSteps: ClockSteps
  /** Each part adds what ends it. The parts end in reverse order. */
  readonly closing: AsyncDisposableStack
}
