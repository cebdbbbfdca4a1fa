import type { Command } from 'commander'
import { port } from './flag-values.ts'

/** The flags of the dashboard, which `allot run` and `allot up` share. */
export interface DashboardFlags {
  readonly dashboard: boolean
  readonly dashboardPort: number
}

/** Adds the flags of the dashboard to a command. `where`: where it is served. */
export const withDashboardFlags = (command: Command, where: string): Command =>
  command
    .option('--dashboard', `serve the API of the dashboard ${where}; it reads as the bearer of each token`, false)
    .option('--dashboard-port <number>', 'port of the API of the dashboard; 0 takes a free one', port, 0)
