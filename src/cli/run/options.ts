import type { LogLevel } from '../../runtime/process/log-level.ts'
import type { AccessFlags } from '../access/cluster-flags.ts'
import type { DashboardFlags } from '../dashboard-flags.ts'
import type { OperatorFlags } from '../operator-flags.ts'
import type { ResourceQuotaFlags } from '../resource-quota-flags.ts'

/** The flags of `allot run`. */
export interface RunOptions extends AccessFlags, OperatorFlags, ResourceQuotaFlags, DashboardFlags {
  /** Where webhooks, metrics and health are served. */
  readonly host: string
  /** Are metrics only for users that the API server authenticates and allows to read them? */
  readonly metricsAuth: boolean
  /** In milliseconds. */
  readonly shutdownDelayDuration: number
  readonly logLevel: LogLevel
}
