import type { ClusterRole, ClusterRoleBinding } from '../../builtin/rbac-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { CONTROL_PLANE } from '../../machinery/caller.ts'
import { listOf, objectsOf } from '../../machinery/read.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { keyOf } from '../storing/outcome.ts'
import { NAMESPACED_ROLES, type NamespacedRole } from '../auth/bootstrap/namespaced.ts'
import { BOOTSTRAP_ROLES } from '../auth/bootstrap/roles.ts'
import type { BootstrapRole } from '../auth/bootstrap/rule.ts'
import { type PolicyRule, ruleObject, rulesOf } from '../auth/rule/policy-rule.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../auth/rule/resolver.ts'
import { TooManyRules, uncovered } from '../auth/rule/cover.ts'
import { parts } from '../auth/rule/description.ts'

const API_VERSION = 'rbac.authorization.k8s.io/v1'
const GROUP = 'rbac.authorization.k8s.io'
const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }

/** The serverContext that writing the bootstrap policy needs. */
export interface PolicyWriting {
  readonly store: Pick<StoredObjects, 'latest'>
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly operations: Pick<ObjectOperations, 'create' | 'update'>
}

/**
 * Creates the roles and bindings that every cluster has. Those that exist get back what they lack, unless their annotation
 * says that they are to be left alone; what somebody added to them stays. Webhooks are not asked.
 */
export async function ensureBootstrapPolicy(given: PolicyWriting): Promise<void> {
  await Promise.all([
    ...NAMESPACED_ROLES.flatMap((role) => [
      ensure(given, ROLES, namespacedRole(role), (current) => withRules(current, role)),
      ensure(given, ROLE_BINDINGS, namespacedBinding(role), (current) => withSubjects(current, subjectsOf(role))),
    ]),
    ...BOOTSTRAP_ROLES.flatMap((role) => {
      const subjects = subjectsOf(role)
      const ensured = ensure(given, CLUSTER_ROLES, roleObject(role), (current) => withRules(current, role))
      if (subjects.length === 0 && role.bound !== true) return [ensured]
      return [
        ensured,
        ensure(given, CLUSTER_ROLE_BINDINGS, bindingObject(role, subjects), (current) =>
          withSubjects(current, subjects),
        ),
      ]
    }),
  ])
}

async function ensure(
  { store, registry, operations }: PolicyWriting,
  bucket: string,
  object: KubeObject,
  complete: (current: KubeObject) => KubeObject,
): Promise<void> {
  const resource = registry.ofBucket(bucket)
  if (resource === undefined) throw new Error(`${bucket} is not served`)
  const { name = '', namespace = '' } = object.metadata
  const request = { resource, namespace, name, subresource: '', caller: CONTROL_PLANE, dryRun: false, unhooked: true }
  const found = store.latest(bucket, keyOf(resource, namespace, name))?.object
  if (found === undefined) await operations.create(request, object)
  else if (found.metadata.annotations?.[AUTO_UPDATE] === 'true' && !jsonEqual(found, complete(found)))
    await operations.update(request, complete, { wholeObject: false })
}

const metadataOf = ({ name, labels }: BootstrapRole) => ({
  name,
  labels: { ...LABELS, ...labels },
  annotations: { [AUTO_UPDATE]: 'true' },
})

const roleObject = (role: BootstrapRole): KubeObject => ({
  kind: 'ClusterRole',
  apiVersion: API_VERSION,
  metadata: metadataOf(role),
  rules: role.rules,
  ...(role.aggregates === undefined
    ? {}
    : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [role.aggregates]: 'true' } }] } }),
})

const bindingObject = ({ name }: BootstrapRole, subjects: readonly JsonObject[]): KubeObject => ({
  kind: 'ClusterRoleBinding',
  apiVersion: API_VERSION,
  metadata: metadataOf({ name, rules: [] }),
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  ...(subjects.length === 0 ? {} : { subjects }),
})

const namespacedMetadata = (namespace: string, name: string) => ({ ...metadataOf({ name, rules: [] }), namespace })

const namespacedRole = ({ namespace, name, rules }: NamespacedRole): KubeObject => ({
  kind: 'Role',
  apiVersion: API_VERSION,
  metadata: namespacedMetadata(namespace, name),
  rules,
})

const namespacedBinding = (role: NamespacedRole): KubeObject => ({
  kind: 'RoleBinding',
  apiVersion: API_VERSION,
  metadata: namespacedMetadata(role.namespace, role.binding ?? role.name),
  roleRef: { apiGroup: GROUP, kind: 'Role', name: role.name },
  subjects: subjectsOf(role),
})

function subjectsOf({
  groups = [],
  users = [],
  serviceAccounts = [],
}: Pick<BootstrapRole, 'groups' | 'users' | 'serviceAccounts'>): readonly JsonObject[] {
  return [
    ...groups.map((name) => ({ kind: 'Group', apiGroup: GROUP, name })),
    ...users.map((name) => ({ kind: 'User', apiGroup: GROUP, name })),
    ...serviceAccounts.map((name) => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })),
  ]
}

/** The role with what it lacks of its rules. Those of an aggregated role come from elsewhere. */
function withRules(current: ClusterRole, role: Pick<BootstrapRole, 'name' | 'rules' | 'aggregates'>): KubeObject {
  const wanted = roleObject(role)
  if (role.aggregates !== undefined)
    return jsonEqual(current.aggregationRule, wanted['aggregationRule'])
      ? current
      : { ...current, aggregationRule: wanted['aggregationRule'] }
  const missing = [...parts(missingRules(rulesOf(current), rulesOf(wanted)))].map(ruleObject)
  return missing.length === 0 ? current : { ...current, rules: [...listOf(current.rules), ...missing] }
}

/** A role that somebody made too large to be compared is taken to have been meant so. */
function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  try {
    return uncovered(held, wanted)
  } catch (error) {
    if (error instanceof TooManyRules) return []
    throw error
  }
}

function withSubjects(current: ClusterRoleBinding, subjects: readonly JsonObject[]): KubeObject {
  const held = objectsOf(current.subjects)
  const missing = subjects.filter((subject) => !held.some((one) => jsonEqual(one, subject)))
  return missing.length === 0 ? current : { ...current, subjects: [...held, ...missing] }
}
