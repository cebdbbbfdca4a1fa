// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type BoundObjectReference = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly uid?: unknown
}

export type SelfSubjectReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly status?: Unchecked<SelfSubjectReviewStatus>
}

export type SelfSubjectReviewStatus = {
  readonly userInfo?: Unchecked<UserInfo>
}

export type TokenRequest = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<TokenRequestSpec>
  readonly status?: Unchecked<TokenRequestStatus>
}

export type TokenRequestSpec = {
  readonly audiences?: unknown
  readonly boundObjectRef?: Unchecked<BoundObjectReference>
  readonly expirationSeconds?: unknown
}

export type TokenRequestStatus = {
  readonly expirationTimestamp?: unknown
  readonly token?: unknown
}

export type TokenReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<TokenReviewSpec>
  readonly status?: Unchecked<TokenReviewStatus>
}

export type TokenReviewSpec = {
  readonly audiences?: unknown
  readonly token?: unknown
}

export type TokenReviewStatus = {
  readonly audiences?: unknown
  readonly authenticated?: unknown
  readonly error?: unknown
  readonly user?: Unchecked<UserInfo>
}

export type UserInfo = {
  readonly extra?: unknown
  readonly groups?: unknown
  readonly uid?: unknown
  readonly username?: unknown
}
