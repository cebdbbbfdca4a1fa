import { fileURLToPath } from 'node:url'
import type { ClusterAccess } from '../kube/access/cluster-access.ts'
import type { Environment } from '../kube/access/proxy-environment.ts'
import { openBearerClients } from '../kube/open-bearer-clients.ts'
import { type Rate, RateLimit } from '../kube/time/rate-limit.ts'
import { systemContext } from '../kube/time/system-context.ts'
import { Dashboard, type DashboardOptions } from '../dashboard/dashboard.ts'
import { packageVersion } from './package-version.ts'

/** Of all viewers together. */
const RATE: Rate = { qps: 1000, burst: 2000 }
const MOST_CONNECTIONS = 32
/** Of what is asked about rights: more than all open streams and all sign-ins take. */
const REVIEW_RATE: Rate = { qps: 500, burst: 1000 }
const MOST_REVIEW_CONNECTIONS = 16
/** `dist` lies beside `src`, and is where the bundle is. */
const PAGE = fileURLToPath(new URL('../../dist/page', import.meta.url))

/** What leads to the API server; its credentials are not used. */
interface Reached {
  readonly access: ClusterAccess
  readonly environment: Environment
}

/** Serves the dashboard until `closing` is disposed. Throws StartupError where its port cannot be had. */
export async function openDashboard(
  { access, environment }: Reached,
  options: Omit<DashboardOptions, 'clientOf' | 'reviewerOf' | 'context' | 'flags' | 'page'> & {
    readonly hostFlag: string
  },
  closing: AsyncDisposableStack,
): Promise<Dashboard> {
  const { hostFlag, ...rest } = options
  const open = (rate: Rate, maxConnections: number) => {
    const clients = openBearerClients({ access, environment, version: packageVersion(), rate, maxConnections })
    closing.defer(() => clients.close())
    return clients.clientOf
  }
  const clientOf = open(RATE, MOST_CONNECTIONS)
  const reviewsOf = open(REVIEW_RATE, MOST_REVIEW_CONNECTIONS)
  const unlimited = new RateLimit({ qps: 0, burst: 1 }, systemContext)
  const reviewerOf = (token: string) => reviewsOf(token, unlimited)
  const flags = { host: hostFlag, port: '--dashboard-port' }
  const dashboard = await Dashboard.listen({ ...rest, page: PAGE, flags, clientOf, reviewerOf, context: systemContext })
  closing.defer(() => dashboard.stop())
  return dashboard
}
