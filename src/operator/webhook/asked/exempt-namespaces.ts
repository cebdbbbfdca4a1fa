import type { HookAddress } from '../webhook-configuration.ts'

/** Namespaces of the cluster itself. A quota never keeps its nodes and its control plane from working. */
const OF_THE_CLUSTER: readonly string[] = ['kube-system', 'kube-node-lease']

/**
 * The namespaces in which nothing is refused: the cluster must go on working whatever a quota says, and so must allot. Its pods are where the
 * Service of its webhooks is.
 */
export const exemptNamespaces = (systemNamespace: string, address?: HookAddress): ReadonlySet<string> =>
  new Set([
    ...OF_THE_CLUSTER,
    systemNamespace,
    ...(address !== undefined && 'service' in address ? [address.service.namespace] : []),
  ])
