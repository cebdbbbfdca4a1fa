import type { ClusterAccess } from '../kube/access/cluster-access.ts'
import type { Environment } from '../kube/access/proxy-environment.ts'
import { openBearerClients } from '../kube/open-bearer-clients.ts'
import type { Rate } from '../kube/time/rate-limit.ts'
import { systemContext } from '../kube/time/system-context.ts'
import { Dashboard, type DashboardOptions } from '../dashboard/dashboard.ts'
import { packageVersion } from './package-version.ts'

/** Of all viewers together. */
const RATE: Rate = { qps: 1000, burst: 2000 }
const MOST_CONNECTIONS = 32

/** What leads to the API server; its credentials are not used. */
interface Reached {
  readonly access: ClusterAccess
  readonly environment: Environment
}

/** Serves the dashboard until `closing` is disposed. Throws StartupError where its port cannot be had. */
export async function openDashboard(
  { access, environment }: Reached,
  options: Omit<DashboardOptions, 'clientOf' | 'context' | 'flags'> & { readonly hostFlag: string },
  closing: AsyncDisposableStack,
): Promise<Dashboard> {
  const { hostFlag, ...rest } = options
  const { clientOf, close } = openBearerClients({
    access,
    environment,
    version: packageVersion(),
    rate: RATE,
    maxConnections: MOST_CONNECTIONS,
  })
  closing.defer(close)
  const flags = { host: hostFlag, port: '--dashboard-port' }
  const dashboard = await Dashboard.listen({ ...rest, flags, clientOf, context: systemContext })
  closing.defer(() => dashboard.stop())
  return dashboard
}
