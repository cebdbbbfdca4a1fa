import type { LogLevel } from '../../runtime/process/log-level.ts'
import type { DashboardFlags } from '../dashboard-flags.ts'
import type { OperatorFlags } from '../operator-flags.ts'
import type { TenantFlags } from '../tenant-flags.ts'

export interface UpOptions extends OperatorFlags, TenantFlags, DashboardFlags {
  /** 0 takes a free one. */
  readonly port: number
  readonly host: string
  readonly webhookHost: string
  readonly metricsHost: string
  readonly healthHost: string
  readonly dataDir: string
  readonly inMemory: boolean
  /** Go on with what is left of a store that has lost acknowledged writes. */
  readonly acceptLostWrites: boolean
  readonly kubeconfig?: string
  readonly logLevel: LogLevel
  /** Refusals are worded exactly as Kubernetes does: only the first quota that refuses is reported. */
  readonly firstRefusalOnly: boolean
  /** Run controllers that make pods of workloads, and a node that simulates them. */
  readonly workloads: boolean
  /** Run the operator against the API that is served. */
  readonly operator: boolean
  /** The path of a ResourceQuotaConfiguration. */
  readonly limitedResources?: string
}
