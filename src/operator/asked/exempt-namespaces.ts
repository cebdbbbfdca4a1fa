/** Namespaces of the cluster itself. A quota never keeps its nodes and its control plane from working. */
const OF_THE_CLUSTER: readonly string[] = ['kube-system', 'kube-node-lease']

/** The namespaces in which nothing is refused: the cluster must go on working whatever a quota says, and so must allot. */
export const exemptNamespaces = (systemNamespace: string): ReadonlySet<string> =>
  new Set([...OF_THE_CLUSTER, systemNamespace])
