import type { AccessFlags } from '../access/cluster-flags.ts'

/** The flags of `allot install`. */
export interface InstallFlags extends AccessFlags {
  readonly namespace: string
  readonly values?: string
  /** The minor version of Kubernetes. */
  readonly kubeVersion?: number
  readonly apiVersions: readonly string[]
}
