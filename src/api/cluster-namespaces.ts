/** Namespaces of the cluster itself. A quota never keeps its nodes and its control plane from working. */
export const CLUSTER_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-node-lease'])
