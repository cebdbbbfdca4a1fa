// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { Condition } from './meta-v1.ts'

export type ClusterTrustBundle = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ClusterTrustBundleSpec>
}

export type ClusterTrustBundleSpec = {
  readonly signerName?: unknown
  readonly trustBundle?: unknown
}

export type PodCertificateRequest = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PodCertificateRequestSpec>
  readonly status?: Unchecked<PodCertificateRequestStatus>
}

export type PodCertificateRequestSpec = {
  readonly maxExpirationSeconds?: unknown
  readonly nodeName?: unknown
  readonly nodeUID?: unknown
  readonly pkixPublicKey?: unknown
  readonly podName?: unknown
  readonly podUID?: unknown
  readonly proofOfPossession?: unknown
  readonly serviceAccountName?: unknown
  readonly serviceAccountUID?: unknown
  readonly signerName?: unknown
  readonly stubPKCS10Request?: unknown
  readonly unverifiedUserAnnotations?: unknown
}

export type PodCertificateRequestStatus = {
  readonly beginRefreshAt?: unknown
  readonly certificateChain?: unknown
  readonly conditions?: Unchecked<readonly Condition[]>
  readonly notAfter?: unknown
  readonly notBefore?: unknown
}
