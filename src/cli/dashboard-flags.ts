import type { Command } from 'commander'
import { port } from './flag-values.ts'

const PORT = 'port of the dashboard; 0 takes a free one'

/** The flags of the dashboard, which `allot run` and `allot up` share. */
export interface DashboardFlags {
  readonly dashboard: boolean
  readonly dashboardPort: number
}

/** Adds the flags of the dashboard to `allot run`, which serves it where it is asked to. */
export const withDashboardFlags = (command: Command): Command =>
  command
    .option('--dashboard', 'serve the dashboard over TLS; it reads as the bearer of each token', false)
    .option('--dashboard-port <number>', PORT, port, 0)

/** Adds the flags of the dashboard to `allot up`, which serves it unless it is asked not to. */
export const withoutDashboardFlags = (command: Command): Command =>
  command
    .option('--no-dashboard', 'serve no dashboard on 127.0.0.1; it reads as the bearer of each token')
    .option('--dashboard-port <number>', PORT, port, 0)
