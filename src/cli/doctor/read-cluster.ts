import type { Deployment } from '../../builtin/apps-v1.ts'
import { isResourceQuota, type ScopeRequirement, scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { BrokenGroup, ClusterFacts, SeenWebhook } from '../../insight/doctor/cluster-facts.ts'
import { CLASS_SCOPES } from '../../insight/doctor/unmatched-scopes.ts'
import {
  CAPSULE_LEASE_NAME,
  CONFIGURATION_NAMES,
  LEASE_NAME,
  POD_LABELS,
  SYSTEM_NAMESPACE_ANNOTATION,
} from '../../install/installed-names.ts'
import { OPERATOR_NEEDS } from '../../install/rbac/operator-needs.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { missingAccess } from '../../kube/client/missing-access.ts'
import { readAllResources } from '../../kube/client/all-resources.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { specOf, textOf, valueAt } from '../../machinery/read.ts'
import { ApiError, type GroupResource, isForbidden, isNotFound, qualified } from '../../machinery/status.ts'
import { quantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { requirementsOf } from '../../systems/karmada-quota/decide/costs.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { type NotSeen, VisibleObjects } from '../../reading/visible-objects.ts'
import { CalledServices, conversionsOf, readWebhooks } from './read-webhooks.ts'

/** The object of the dry run that asks the webhooks of pools. */
const PROBE = 'allot-doctor-probe'

export interface ReadCluster {
  readonly facts: ClusterFacts
  readonly notSeen: readonly NotSeen[]
  /** May its caller read no kind of quotas at all? */
  readonly isBlind: boolean
}

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' }
const QUOTAS_OF_NAMESPACES = { group: '', resource: 'resourcequotas' }
/** The resources of Kubernetes that allot writes. */
const WRITTEN: readonly GroupResource[] = [
  { group: '', resource: 'limitranges' },
  ...OPERATOR_NEEDS.filter(({ verbs }) => verbs.some((verb) => ['create', 'update', 'patch'].includes(verb))),
]

/** What a diagnosis is about. */
const QUOTAS: readonly (GroupResource & { readonly isWide?: boolean })[] = [
  QUOTAS_OF_NAMESPACES,
  customQuota,
  karmadaQuota,
  { ...globalCustomQuota, isWide: true },
  { ...resourcePool, isWide: true },
]

export interface ReadClusterOptions {
  readonly client: KubeClient
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Only quotas and objects of this namespace; left out: of all. */
  readonly namespace?: string | undefined
  /** Is this quota to be counted? The objects of the others are not read. Left out: all are. */
  readonly isCounted?: (quota: KubeObject) => boolean
  readonly signal: AbortSignal
}

/** Reads the objects that a diagnosis needs, as its caller may. `notSeen` names those that the caller may not read. Rejects as `KubeClient` does. */
export async function readCluster({
  client,
  now,
  namespace,
  isCounted = () => true,
  signal,
}: ReadClusterOptions): Promise<ReadCluster> {
  const notSeen: NotSeen[] = []
  const { resources, broken } = await discovered(client, notSeen, signal)
  const byId = new Map<string, ServerResource>()
  // The preferred version of a group comes first.
  for (const one of resources) if (!byId.has(qualified(one))) byId.set(qualified(one), one)
  const visible = new VisibleObjects(
    client,
    { of: (group, resource) => byId.get(qualified({ group, resource })) },
    signal,
    notSeen,
  )
  const list = (group: string, resource: string, where = namespace): Promise<readonly KubeObject[]> =>
    visible.list(group, resource, where === undefined ? {} : { namespace: where })
  const [
    quotas,
    own,
    global,
    karmada,
    ledgers,
    pools,
    claims,
    configs,
    namespaces,
    definitions,
    apiServices,
    deployments,
    increases,
    leases,
  ] = await Promise.all([
    list('', 'resourcequotas'),
    list(customQuota.group, customQuota.resource),
    // Those of many namespaces cannot be counted in one.
    namespace === undefined ? list(globalCustomQuota.group, globalCustomQuota.resource, '') : [],
    list(karmadaQuota.group, karmadaQuota.resource),
    // The ledger of a global quota is in allot's namespace.
    list(quantityLedger.group, quantityLedger.resource),
    list(resourcePool.group, resourcePool.resource, ''),
    list(resourcePoolClaim.group, resourcePoolClaim.resource),
    // Kinds that select namespaces are read only together with all namespaces.
    namespace === undefined ? list(quotaServiceConfig.group, quotaServiceConfig.resource, '') : [],
    namespace === undefined ? list('', 'namespaces', '') : [],
    list('apiextensions.k8s.io', 'customresourcedefinitions', ''),
    list('apiregistration.k8s.io', 'apiservices', ''),
    visible.list('apps', 'deployments', { labelSelector: selectorOf(POD_LABELS) }),
    list(quotaIncrease.group, quotaIncrease.resource),
    // Without allot's kinds nobody asks who leads.
    customResources.some((one) => byId.has(qualified(one))) ? leasesOf(visible) : [],
  ])
  const resourceQuotas = quotas.filter(isResourceQuota)
  const customQuotas = [...own.map((one) => customQuota.read(one)), ...global.map((one) => globalCustomQuota.read(one))]
  const offered = new OfferedResources(resources)
  const concerned = [
    ...countedBy(resourceQuotas, customQuotas, karmada, offered),
    QUOTAS_OF_NAMESPACES,
    ...(customResources.some((one) => byId.has(qualified(one))) ? [...customResources, ...WRITTEN] : []),
  ]
  const counted = countedBy(
    resourceQuotas.filter(isCounted),
    customQuotas.filter(isCounted),
    karmada.filter(isCounted),
    offered,
  )
  const objects = new Map(
    await Promise.all(
      counted
        .filter((one) => byId.has(qualified(one)))
        .map(async (one) => [qualified(one), await list(one.group, one.resource)] as const),
    ),
  )
  const unread = (of: GroupResource): boolean => notSeen.some(({ resource }) => resource === qualified(of))
  const seen = <T>(of: GroupResource, found: T): T | undefined => (unread(of) ? undefined : found)
  const classes = await readClasses(
    [
      ...resourceQuotas.map(({ spec }) => scopeRequirements(spec)),
      ...pools.map((one) => scopeRequirements(resourcePool.read(one).spec.quota)),
      ...karmada.map((one) => requirementsOf(karmadaQuota.read(one).spec)),
      ...configs.flatMap((one) =>
        quotaServiceConfig.read(one).spec.quotas.map(({ template }) => scopeRequirements(template.spec)),
      ),
    ].flat(),
    async (of) => (byId.has(qualified(of)) ? await list(of.group, of.resource, '') : undefined),
  )
  const lookedAt = QUOTAS.filter(({ isWide = false }) => namespace === undefined || !isWide)
  const services = new CalledServices(client, notSeen, signal)
  const webhooks = await readWebhooks(visible, services)
  return {
    notSeen,
    isBlind: lookedAt.every((of) => unread(of) || !byId.has(qualified(of))),
    facts: {
      now,
      namespace,
      quotas: resourceQuotas,
      customQuotas,
      karmadaQuotas: karmada.map((one) => karmadaQuota.read(one)),
      ledgers: seen(
        quantityLedger,
        ledgers.map((one) => quantityLedger.read(one)),
      ),
      pools: pools.map((one) => resourcePool.read(one)),
      claims: seen(
        resourcePoolClaim,
        claims.map((one) => resourcePoolClaim.read(one)),
      ),
      increases: increases.map((one) => quotaIncrease.read(one)),
      increaseConfigs: configs.map((one) => quotaServiceConfig.read(one)),
      classes: new Map(classes.filter(([id]) => !notSeen.some(({ resource }) => resource === id))),
      namespaces:
        namespace === undefined
          ? seen(
              { group: '', resource: 'namespaces' },
              new Map(namespaces.map((one) => [one.metadata.name ?? '', one])),
            )
          : undefined,
      objectsOf: (of) => objects.get(qualified(of)),
      isUnread: unread,
      offered,
      webhooks,
      definitions,
      conversions: await conversionsOf(definitions, services),
      apiServices,
      brokenGroups: broken,
      concerned: lookedAt.some(unread) ? undefined : concerned,
      leases: seen(LEASES, leases),
      isInstalled: deployments.length > 0,
      probe: await probeOf(client, webhooks, namespace ?? 'default', notSeen, signal),
      operators: await operatorsOf(client, deployments, webhooks, notSeen, signal),
    },
  }
}

/** The Leases of the programs that look after the kinds of allot. */
const leasesOf = async (visible: VisibleObjects): Promise<readonly KubeObject[]> =>
  (
    await Promise.all(
      [LEASE_NAME, CAPSULE_LEASE_NAME].map((name) =>
        visible.list(LEASES.group, LEASES.resource, { fieldSelector: `metadata.name=${name}` }),
      ),
    )
  ).flat()

/** The classes that the scopes of quotas name. */
async function readClasses(
  requirements: readonly ScopeRequirement[],
  list: (of: GroupResource) => Promise<readonly KubeObject[] | undefined>,
): Promise<readonly (readonly [string, ReadonlySet<string>])[]> {
  const named = new Set(requirements.flatMap(({ scopeName, values = [] }) => (values.length === 0 ? [] : [scopeName])))
  const found = await Promise.all(
    [...named]
      .flatMap((scope) => CLASS_SCOPES.get(scope) ?? [])
      .map(async (of) => {
        const classes = await list(of)
        if (classes === undefined) return []
        return [[qualified(of), new Set(classes.map(({ metadata }) => metadata.name ?? ''))] as const]
      }),
  )
  return found.flat()
}

const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')

/** All resources of all groups, and the versions that cannot be listed. */
async function discovered(
  client: KubeClient,
  notSeen: NotSeen[],
  signal: AbortSignal,
): Promise<{ readonly resources: readonly ServerResource[]; readonly broken: readonly BrokenGroup[] }> {
  const { resources, unlisted } = await readAllResources(client, signal)
  const broken: BrokenGroup[] = []
  for (const { group, version, error } of unlisted) {
    const { message } = error
    if (isForbidden(error)) notSeen.push({ resource: `${group}/${version}`, reason: 'you may not list its resources' })
    else if (!isNotFound(error)) broken.push({ group, version, message })
  }
  return { resources, broken }
}

/** The resources whose objects count towards any of the quotas. */
function countedBy(
  quotas: ClusterFacts['quotas'],
  customQuotas: ClusterFacts['customQuotas'],
  karmada: readonly KubeObject[],
  offered: OfferedResources,
): readonly GroupResource[] {
  const names = new Set(quotas.flatMap((quota) => Object.keys(quota.spec?.hard ?? {})))
  const kinds = customQuotas.flatMap(({ spec }) => spec.sources.map(sourceKind))
  const resources = [
    ...QUOTA_EVALUATORS.countingTowards([...names]),
    ...kinds.flatMap(({ group, kind }) =>
      offered.called(kind.toLowerCase()).filter((one) => one.group === group && one.kind === kind),
    ),
    ...(karmada.length === 0 ? [] : [RESOURCE_BINDINGS]),
  ]
  return [...new Map(resources.map((one) => [qualified(one), { group: one.group, resource: one.resource }])).values()]
}

const isOwn = ({ configuration: { metadata } }: SeenWebhook): boolean =>
  CONFIGURATION_NAMES.some((name) => name === metadata.name)

/** Asks allot's webhooks with a dry run, which they see and nobody stores. Gives what the API server said of one that did not answer. */
async function probeOf(
  client: KubeClient,
  webhooks: readonly SeenWebhook[],
  namespace: string,
  notSeen: NotSeen[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = webhooks.filter(isOwn).map(({ name }) => name)
  if (own.length === 0) return undefined
  const { group, version, kind } = resourcePoolClaim
  const claim: KubeObject = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: PROBE, namespace },
    spec: { pool: '', claim: {} },
  }
  try {
    await client.create(resourcePoolClaim, claim, { signal, dryRun: true })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { message } = error
    const [, failed] = /failed calling webhook "([^"]+)"/.exec(message) ?? []
    // A refusal of allot's is an answer; of others nothing is said here.
    if (failed !== undefined && own.includes(failed)) return message
    const isAnswered = own.some((name) => message.includes(name))
    if (!isAnswered)
      notSeen.push({ resource: "answers of allot's webhooks", reason: `a dry run was refused: ${message}` })
  }
  return undefined
}

/** The operators that are installed, with the rights that they lack whatever systems they run. */
async function operatorsOf(
  client: KubeClient,
  deployments: readonly Deployment[],
  webhooks: readonly SeenWebhook[],
  notSeen: NotSeen[],
  signal: AbortSignal,
): Promise<ClusterFacts['operators']> {
  const told = webhooks.find(isOwn)?.configuration.metadata.annotations?.[SYSTEM_NAMESPACE_ANNOTATION]
  const found = await Promise.all(
    deployments.map(async (deployment) => {
      const namespace = deployment.metadata.namespace ?? ''
      const account = textOf(valueAt(specOf(deployment).template, 'spec', 'serviceAccountName'))
      const user = {
        user: `system:serviceaccount:${namespace}:${account === '' ? 'default' : account}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      }
      try {
        const missing = await missingAccess(client, OPERATOR_NEEDS, told ?? namespace, signal, user)()
        return missing === undefined ? [] : [{ deployment, missing }]
      } catch (error) {
        if (!isForbidden(error)) throw error
        const resource = `rights of ${user.user}`
        notSeen.push({ resource, reason: 'you may not ask for the rights of others' })
        return []
      }
    }),
  )
  return found.flat()
}
