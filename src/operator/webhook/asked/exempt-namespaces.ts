import { CLUSTER_NAMESPACES } from '../../../api/cluster-namespaces.ts'
import type { HookAddress } from '../configuration.ts'

/**
 * The namespaces in which nothing is refused: the cluster must go on working whatever a quota says, and so must allot. Its pods are where the
 * Service of its webhooks is.
 */
export const exemptNamespaces = (systemNamespace: string, address?: HookAddress): ReadonlySet<string> =>
  new Set([
    ...CLUSTER_NAMESPACES,
    systemNamespace,
    ...(address !== undefined && 'service' in address ? [address.service.namespace] : []),
  ])
