// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './meta-v1.ts'

export type FieldSelectorAttributes = {
  readonly rawSelector?: unknown
  readonly requirements?: Unchecked<readonly FieldSelectorRequirement[]>
}

export type LabelSelectorAttributes = {
  readonly rawSelector?: unknown
  readonly requirements?: Unchecked<readonly LabelSelectorRequirement[]>
}

export type LocalSubjectAccessReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<SubjectAccessReviewSpec>
  readonly status?: Unchecked<SubjectAccessReviewStatus>
}

export type NonResourceAttributes = {
  readonly path?: unknown
  readonly verb?: unknown
}

export type NonResourceRule = {
  readonly nonResourceURLs?: unknown
  readonly verbs?: unknown
}

export type ResourceAttributes = {
  readonly fieldSelector?: Unchecked<FieldSelectorAttributes>
  readonly group?: unknown
  readonly labelSelector?: Unchecked<LabelSelectorAttributes>
  readonly name?: unknown
  readonly namespace?: unknown
  readonly resource?: unknown
  readonly subresource?: unknown
  readonly verb?: unknown
  readonly version?: unknown
}

export type ResourceRule = {
  readonly apiGroups?: unknown
  readonly resourceNames?: unknown
  readonly resources?: unknown
  readonly verbs?: unknown
}

export type SelfSubjectAccessReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<SelfSubjectAccessReviewSpec>
  readonly status?: Unchecked<SubjectAccessReviewStatus>
}

export type SelfSubjectAccessReviewSpec = {
  readonly nonResourceAttributes?: Unchecked<NonResourceAttributes>
  readonly resourceAttributes?: Unchecked<ResourceAttributes>
}

export type SelfSubjectRulesReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<SelfSubjectRulesReviewSpec>
  readonly status?: Unchecked<SubjectRulesReviewStatus>
}

export type SelfSubjectRulesReviewSpec = {
  readonly namespace?: unknown
}

export type SubjectAccessReview = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<SubjectAccessReviewSpec>
  readonly status?: Unchecked<SubjectAccessReviewStatus>
}

export type SubjectAccessReviewSpec = {
  readonly extra?: unknown
  readonly groups?: unknown
  readonly nonResourceAttributes?: Unchecked<NonResourceAttributes>
  readonly resourceAttributes?: Unchecked<ResourceAttributes>
  readonly uid?: unknown
  readonly user?: unknown
}

export type SubjectAccessReviewStatus = {
  readonly allowed?: unknown
  readonly denied?: unknown
  readonly evaluationError?: unknown
  readonly reason?: unknown
}

export type SubjectRulesReviewStatus = {
  readonly evaluationError?: unknown
  readonly incomplete?: unknown
  readonly nonResourceRules?: Unchecked<readonly NonResourceRule[]>
  readonly resourceRules?: Unchecked<readonly ResourceRule[]>
}
