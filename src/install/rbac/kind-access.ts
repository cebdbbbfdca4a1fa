/** A value of the platform: may tenants create this? */
export type TenantValue = 'claims' | 'increases' | 'customQuotas'

/** The people of a cluster, as far as a kind concerns them: those of the platform, and the tenants of a namespace. */
export type KindAccess =
  /** Tenants read the objects of their namespace, and write them where the value allows it. */
  | { readonly tenants: 'write'; readonly where: TenantValue }
  | { readonly tenants: 'read' }
  /** Only those of the platform read and write them. */
  | { readonly tenants: 'nothing' }
  /** Only the operator writes them, and only administrators of the platform look into them. */
  | 'internal'

/** The decision for each kind of our own, by the name of its CRD. */
export const KIND_ACCESS: Readonly<Record<string, KindAccess>> = {
  'resourcepools.capsule.clastix.io': { tenants: 'nothing' },
  'resourcepoolclaims.capsule.clastix.io': { tenants: 'write', where: 'claims' },
  'customquotas.capsule.clastix.io': { tenants: 'write', where: 'customQuotas' },
  'globalcustomquotas.capsule.clastix.io': { tenants: 'nothing' },
  'quantityledgers.capsule.clastix.io': 'internal',
  'quotaincreases.openmcp.cloud': { tenants: 'write', where: 'increases' },
  'quotaserviceconfigs.openmcp.cloud': { tenants: 'nothing' },
  'karmadaquotas.quota.karmada.io': { tenants: 'read' },
}
