import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { customResources } from '../../systems/custom-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, specOf, valueAt } from '../../machinery/read.ts'
import { KIND_ACCESS, type KindAccess, type TenantValue } from './kind-access.ts'
import type { Need } from './need.ts'
import { clusterRole } from './object.ts'
import { rulesFor } from './rule.ts'

/** The kinds that tenants may create, change and delete in their namespaces. */
export type TenantsMayCreate = Readonly<Record<TenantValue, boolean>>

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection']
const TO_EDIT = labelsFor('edit', 'admin')
const TO_VIEW = labelsFor('view', 'edit', 'admin')

/** The tenants' roles for writing, by the value that each needs. */
const TENANT_ROLES: readonly (readonly [TenantValue, string])[] = [
  ['claims', 'allot-tenant-claims'],
  ['increases', 'allot-tenant-increases'],
  ['customQuotas', 'allot-tenant-custom-quotas'],
]

/** The names of the roles that are left out. */
export const withheldRoles = (tenantsMayCreate: TenantsMayCreate): readonly string[] =>
  TENANT_ROLES.filter(([value]) => !tenantsMayCreate[value]).map(([, name]) => name)

interface Kind {
  readonly group: string
  readonly resource: string
  readonly hasStatus: boolean
  readonly access: KindAccess | undefined
}

/**
 * The roles of people. Those of tenants are added to Kubernetes' `view`, `edit` and `admin`; administrators bind `allot-platform-admin` and
 * `allot-viewer` to whom they like.
 */
export function personaRoles(tenantsMayCreate: TenantsMayCreate): readonly KubeObject[] {
  const kinds = customResources.map(kindOf)
  const open = kinds.filter(({ access }) => access !== 'internal')
  const readable = open.filter(({ access }) => tenantsOf(access) === 'read' || tenantsOf(access) === 'write')
  const written = TENANT_ROLES.filter(([value]) => tenantsMayCreate[value]).map(([value, name]) =>
    clusterRole(name, rulesFor(open.filter(({ access }) => valueOf(access) === value).map(write)), TO_EDIT),
  )
  return [
    clusterRole('allot-tenant-view', rulesFor(readable.flatMap(read)), TO_VIEW),
    ...written,
    clusterRole('allot-platform-admin', rulesFor([...kinds.flatMap(read), ...open.map(write)])),
    clusterRole('allot-viewer', rulesFor(open.flatMap(read))),
  ]
}

function kindOf({ group, resource, crd }: (typeof customResources)[number]): Kind {
  const definition: Partial<CustomResourceDefinition> = crd
  const versions = objectsOf(specOf(definition).versions)
  const access = KIND_ACCESS[`${resource}.${group}`]
  return {
    group,
    resource,
    hasStatus: versions.some((version) => valueAt(version, 'subresources', 'status') !== undefined),
    access,
  }
}

const tenantsOf = (access: KindAccess | undefined): string | undefined =>
  typeof access === 'object' ? access.tenants : undefined

const valueOf = (access: KindAccess | undefined): TenantValue | undefined =>
  typeof access === 'object' && access.tenants === 'write' ? access.where : undefined

const read = ({ group, resource, hasStatus }: Kind): readonly Need[] => [
  { group, resource, verbs: READ },
  ...(hasStatus ? [{ group, resource, subresource: 'status', verbs: READ }] : []),
]

const write = ({ group, resource }: Kind): Need => ({ group, resource, verbs: WRITE })

function labelsFor(...roles: readonly ('view' | 'edit' | 'admin')[]): Readonly<Record<string, string>> {
  return Object.fromEntries(roles.map((one) => [`rbac.authorization.k8s.io/aggregate-to-${one}`, 'true']))
}
