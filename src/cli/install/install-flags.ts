/** The flags of `allot install`. */
export interface InstallFlags {
  readonly namespace: string
  readonly values?: string
  readonly kubeconfig?: string
  readonly context?: string
  /** The minor version of Kubernetes. */
  readonly kubeVersion?: number
  readonly apiVersions: readonly string[]
}
