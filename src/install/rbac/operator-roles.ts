import type { KubeObject } from '../../machinery/object.ts'
import type { Need } from './need.ts'
import { EXEMPT_LABEL_NEEDS, METRICS_ACCESS_NEEDS, OPERATOR_NEEDS } from './operator-needs.ts'
import { aggregatingRole, clusterRole, clusterRoleBinding, type OperatorAccount, role, roleBinding } from './object.ts'
import { rulesFor } from './rule.ts'
import {
  BASE_QUOTA_NEEDS,
  CUSTOM_QUOTA_NEEDS,
  KARMADA_QUOTA_NEEDS,
  POOL_NEEDS,
  QUOTA_ADMISSION_NEEDS,
  QUOTA_PROBE_NEEDS,
  QUOTA_USAGE_NEEDS,
  REFUSED_WORKLOAD_NEEDS,
} from './system-needs.ts'

/** Has the rules of a ClusterRole hold for the operator, too. */
export const AGGREGATE_TO_OPERATOR = 'allot.dev/aggregate-to-operator'

const NAME = 'allot'
const FURTHER = 'allot-further-kinds'

/** The features that an operator has only where it is asked to, with their permissions. Each has roles of its own, `allot-<feature>`. */
const FEATURES = {
  /** `--quota-definitions` and `--quota-service-config` */
  'base-quotas': BASE_QUOTA_NEEDS,
  /** `--enforce-resourcequota` */
  'enforce-resourcequota': [...QUOTA_USAGE_NEEDS, ...QUOTA_ADMISSION_NEEDS, ...QUOTA_PROBE_NEEDS],
  /** `--metrics-auth` */
  'metrics-auth': METRICS_ACCESS_NEEDS,
  /** Without `--no-refusal-events` */
  'refusal-events': REFUSED_WORKLOAD_NEEDS,
  /** An API server before 1.21. */
  'exempt-labels': EXEMPT_LABEL_NEEDS,
} satisfies Readonly<Record<string, readonly Need[]>>

export type OperatorFeature = keyof typeof FEATURES

/** The roles of the operator and their bindings to its account. */
export const operatorRoles = (
  account: OperatorAccount,
  features: readonly OperatorFeature[],
): readonly KubeObject[] => [
  ...rolesFor(NAME, account, [...OPERATOR_NEEDS, ...POOL_NEEDS, ...CUSTOM_QUOTA_NEEDS, ...KARMADA_QUOTA_NEEDS]),
  ...features.flatMap((feature) => rolesFor(`${NAME}-${feature}`, account, FEATURES[feature])),
  aggregatingRole(FURTHER, AGGREGATE_TO_OPERATOR),
  clusterRoleBinding(FURTHER, account),
]

/** A ClusterRole for what is needed everywhere, and a Role for what is needed in the namespace of the operator's objects. */
function rolesFor(name: string, account: OperatorAccount, needs: readonly Need[]): readonly KubeObject[] {
  const own = needs.filter(({ inSystemNamespace }) => inSystemNamespace === true)
  const everywhere = needs.filter(({ inSystemNamespace }) => inSystemNamespace !== true)
  return [
    clusterRole(name, rulesFor(everywhere)),
    clusterRoleBinding(name, account),
    ...(own.length === 0 ? [] : [role(name, account.namespace, rulesFor(own)), roleBinding(name, account)]),
  ]
}
