import type { KubeObject } from '../../machinery/object.ts'
import type { RbacRule } from './rule.ts'

const GROUP = 'rbac.authorization.k8s.io'
const API_VERSION = `${GROUP}/v1`
/** Every object that an installation brings has it. */
const LABELS = { 'app.kubernetes.io/name': 'allot' }

/** The ServiceAccount of the operator. */
export interface OperatorAccount {
  readonly namespace: string
  readonly serviceAccount: string
}

export const clusterRole = (
  name: string,
  rules: readonly RbacRule[],
  labels: Readonly<Record<string, string>> = {},
): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRole',
  metadata: { name, labels: { ...LABELS, ...labels } },
  rules,
})

/** A ClusterRole that the control plane fills with the rules of those that have the label. An apply that named rules would take these away. */
export const aggregatingRole = (name: string, label: string): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRole',
  metadata: { name, labels: LABELS },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] },
})

export const clusterRoleBinding = (name: string, account: OperatorAccount): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels: LABELS },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  subjects: [subjectOf(account)],
})

export const role = (name: string, namespace: string, rules: readonly RbacRule[]): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'Role',
  metadata: { name, namespace, labels: LABELS },
  rules,
})

export const roleBinding = (name: string, account: OperatorAccount): KubeObject => ({
  apiVersion: API_VERSION,
  kind: 'RoleBinding',
  metadata: { name, namespace: account.namespace, labels: LABELS },
  roleRef: { apiGroup: GROUP, kind: 'Role', name },
  subjects: [subjectOf(account)],
})

const subjectOf = ({ namespace, serviceAccount }: OperatorAccount) => ({
  kind: 'ServiceAccount',
  name: serviceAccount,
  namespace,
})
