// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type CertificateSigningRequest = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<CertificateSigningRequestSpec>
  readonly status?: Unchecked<CertificateSigningRequestStatus>
}

export type CertificateSigningRequestCondition = {
  readonly lastTransitionTime?: unknown
  readonly lastUpdateTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type CertificateSigningRequestSpec = {
  readonly expirationSeconds?: unknown
  readonly extra?: unknown
  readonly groups?: unknown
  readonly request?: unknown
  readonly signerName?: unknown
  readonly uid?: unknown
  readonly usages?: unknown
  readonly username?: unknown
}

export type CertificateSigningRequestStatus = {
  readonly certificate?: unknown
  readonly conditions?: Unchecked<readonly CertificateSigningRequestCondition[]>
}
