import type { ClusterAccess } from '../../kube/access/cluster-access.ts'

export interface LocalServer {
  readonly url: string
  /** The newest certificate of the authority, as PEM: it is renewed while the server runs. */
  readonly ca: () => string
  /** The administrator's. */
  readonly token: string
  readonly systemNamespace: string
}

/**
 * The access of the operator of `allot up` to the API of the same process. The operator has its own service account, as
 * in a cluster. So its actions can be told from the administrator's.
 */
export function localAccess({ url, ca, token, systemNamespace }: LocalServer): ClusterAccess {
  return {
    source: 'allot up',
    server: url,
    namespace: systemNamespace,
    authority: { newest: ca },
    insecureSkipTlsVerify: false,
    credentials: { type: 'token', token },
    impersonation: { user: `system:serviceaccount:${systemNamespace}:allot`, groups: ['system:masters'], extra: {} },
  }
}
