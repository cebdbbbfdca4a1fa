import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import type { QuantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import type { QuotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import type { QuotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import type { ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { ServiceProblem } from './service-problem.ts'

/** A Service that the API server calls. */
export interface CalledService {
  readonly namespace: string
  readonly name: string
  readonly port: number
  /** What keeps the API server from reaching it; undefined for nothing. */
  readonly problem: ServiceProblem | undefined
}

/** One webhook of a configuration, with what its caller could find out about it. */
export interface SeenWebhook {
  /** The configuration. */
  readonly configuration: KubeObject
  readonly name: string
  /** Does the API server refuse a request when the webhook does not answer? */
  readonly isRequired: boolean
  /** Its rules say what it is asked about. */
  readonly rules: readonly JsonObject[]
  /** The Service that is called; undefined for a URL, and where that could not be read. */
  readonly service: CalledService | undefined
  /** Until when the certificates are valid that the API server trusts, in milliseconds since the epoch. */
  readonly trustedUntil: readonly number[]
}

/** A definition whose objects are converted by a webhook, with the Service of that. */
export interface SeenConversion {
  readonly definition: KubeObject
  readonly service: CalledService
}

/** A version of an API group that the API server names and cannot list. */
export interface BrokenGroup {
  readonly group: string
  readonly version: string
  readonly message: string
}

/** What was read of a cluster, as the caller may see it. */
export interface ClusterFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Only quotas and objects of this namespace were read; undefined: of all. */
  readonly namespace: string | undefined
  readonly quotas: readonly ResourceQuota[]
  readonly customQuotas: readonly (CustomQuota | GlobalCustomQuota)[]
  readonly karmadaQuotas: readonly KarmadaQuota[]
  /** Undefined where the caller may not read them; so are `claims` and `namespaces`. */
  readonly ledgers: readonly QuantityLedger[] | undefined
  readonly pools: readonly ResourcePool[]
  readonly claims: readonly ResourcePoolClaim[] | undefined
  readonly increases: readonly QuotaIncrease[]
  readonly increaseConfigs: readonly QuotaServiceConfig[]
  /** The names of the classes that scopes of quotas name, by resource, such as `priorityclasses.scheduling.k8s.io`. Those that could not be read are missing. */
  readonly classes: ReadonlyMap<string, ReadonlySet<string>>
  /** By name. */
  readonly namespaces: ReadonlyMap<string, KubeObject> | undefined
  /** The objects of a resource; undefined where the API server does not serve it. */
  readonly objectsOf: (of: GroupResource) => readonly KubeObject[] | undefined
  /** Could the objects of a resource not be read? */
  readonly isUnread: (of: GroupResource) => boolean
  readonly offered: OfferedResources
  readonly webhooks: readonly SeenWebhook[]
  readonly definitions: readonly KubeObject[]
  readonly conversions: readonly SeenConversion[]
  readonly apiServices: readonly KubeObject[]
  readonly brokenGroups: readonly BrokenGroup[]
  /** What the API server said to a dry run that asks allot's webhooks; undefined where they answered, or nobody is to be asked. */
  readonly probe: string | undefined
  /** What quotas count, the quotas themselves, and what allot writes; undefined where not all quotas could be read. */
  readonly concerned: readonly GroupResource[] | undefined
  /** The Leases of the leaders of allot and Capsule; undefined where the caller may not read them. */
  readonly leases: readonly KubeObject[] | undefined
  /** Is there a Deployment of an operator? */
  readonly isInstalled: boolean
  /** The rights that an operator of the cluster lacks. */
  readonly operators: readonly { readonly deployment: KubeObject; readonly missing: string }[]
}
