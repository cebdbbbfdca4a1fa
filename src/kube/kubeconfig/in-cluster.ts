import { isIPv6 } from 'node:net'
import type { ClusterAccess } from '../access/cluster-access.ts'
import type { Environment } from '../access/proxy-environment.ts'

/** Where a pod finds its service account. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** How a pod reaches the API server of its own cluster; undefined when this process runs in none. */
export function inClusterAccess(
  environment: Environment,
  readText: (file: string) => string,
): ClusterAccess | undefined {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? ''
  const read = (name: string): string | undefined => {
    try {
      return readText(`${FOLDER}/${name}`).trim() || undefined
    } catch {
      return undefined
    }
  }
  if (host === '' || port === '' || read('token') === undefined) return undefined
  return {
    source: 'the service account of this pod',
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: read('namespace') ?? 'default',
    insecureSkipTlsVerify: false,
    ...(read('ca.crt') === undefined ? {} : { authority: { file: `${FOLDER}/ca.crt` } }),
    credentials: { type: 'token-file', file: `${FOLDER}/token` },
  }
}
