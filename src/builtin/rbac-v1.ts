// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { LabelSelector } from './meta-v1.ts'

export type AggregationRule = {
  readonly clusterRoleSelectors?: Unchecked<readonly LabelSelector[]>
}

export type ClusterRole = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly aggregationRule?: Unchecked<AggregationRule>
  readonly rules?: Unchecked<readonly PolicyRule[]>
}

export type ClusterRoleBinding = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly roleRef?: Unchecked<RoleRef>
  readonly subjects?: Unchecked<readonly Subject[]>
}

export type PolicyRule = {
  readonly apiGroups?: unknown
  readonly nonResourceURLs?: unknown
  readonly resourceNames?: unknown
  readonly resources?: unknown
  readonly verbs?: unknown
}

export type Role = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly rules?: Unchecked<readonly PolicyRule[]>
}

export type RoleBinding = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly roleRef?: Unchecked<RoleRef>
  readonly subjects?: Unchecked<readonly Subject[]>
}

export type RoleRef = {
  readonly apiGroup?: unknown
  readonly kind?: unknown
  readonly name?: unknown
}

export type Subject = {
  readonly apiGroup?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
}
