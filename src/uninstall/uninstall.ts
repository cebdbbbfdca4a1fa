import { customResources } from '../systems/custom-resources.ts'
import { quantityLedger } from '../systems/counted/api/quantity-ledger.ts'
import {
  BASE_LABEL,
  DEFINITION_LABEL,
  INCREASES_MANAGED_BY_LABEL,
  MODE_LABEL,
  PROBLEM_ANNOTATION,
} from '../systems/quota-increase/api/increase-names.ts'
import {
  MANAGED_BY_CONTROLLER,
  MANAGED_BY_LABEL,
  POOL_FINALIZER,
  POOL_LABEL,
} from '../systems/resource-pool/api/pool-names.ts'
import { OPERATOR_RIGHT } from '../operator/cluster/operator-right.ts'
import { resourcePool } from '../systems/resource-pool/api/resource-pool.ts'
import { CAPSULE_LEASE_NAME, CONFIGURATION_NAMES, EXEMPT_LABEL, LEASE_NAME } from '../install/installed-names.ts'
import { type HeldLease, firstHeld } from '../kube/election/lease-liveness.ts'
import { type IsPrivileged, privilegedNamespaces } from '../kube/election/privileged-namespaces.ts'
import type { KubeClient, ObjectName, ResourceKind } from '../kube/client/kube-client.ts'
import { missingAccess } from '../kube/client/missing-access.ts'
import type { Clock } from '../kube/time/clock.ts'
import type { KubeObject } from '../machinery/object.ts'
import { namedNamespaces, operatorNamespaces } from '../operator/cluster/operator-namespaces.ts'
import { ClusterObjects, nameOf } from './cluster-objects.ts'
import { deleteInstalled, installedKinds } from './delete-installed.ts'
import { stopOperator } from './stop-operator.ts'
import { UninstallError } from './error.ts'
import { OWN_OBJECTS, type Removal, uninstallNeeds } from './needs.ts'
import { LEASES } from '../kube/election/lease-record.ts'

export interface UninstallOptions extends Removal {
  readonly client: KubeClient
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Told what was changed, a line each. */
  readonly say: (line: string) => void
  /** Leave the objects of the installation, which Helm deletes by itself. */
  readonly keepInstalled: boolean
}

const ADMISSION = 'admissionregistration.k8s.io/v1'
const LABELS_OF_INCREASES = [BASE_LABEL, MODE_LABEL, INCREASES_MANAGED_BY_LABEL]
const OF_POOLS = `${POOL_LABEL},${MANAGED_BY_LABEL}=${MANAGED_BY_CONTROLLER}`
/** The labels of the quotas of pools and of definitions, and of the LimitRanges of pools, which go after the quotas. */
const GENERATED = [
  ['ResourceQuota', OF_POOLS],
  ['ResourceQuota', DEFINITION_LABEL],
  ['LimitRange', OF_POOLS],
] as const

/**
 * Removes allot from a cluster, whether it runs or not. It can be repeated. First it removes the operator, then its
 * webhooks, so that nothing is refused from then on. Then it removes its marks on objects of others, and last its own
 * objects. What a running Capsule uses as well stays as it is. Throws UninstallError if the caller may not do all of
 * it, an operator of allot goes on, or Capsule needs what is to go.
 */
export async function uninstall(options: UninstallOptions): Promise<void> {
  const { client, clock, signal, say, namespace, systemNamespace, crds, keepInstalled } = options
  const objects = new ClusterObjects(client, signal, say)
  await demandAccess(objects, options)
  const capsule = await othersThatRun({ objects, client, clock, signal }, options)
  await stopOperator(objects, { namespace, systemNamespace }, client, clock, signal)
  await deleteWebhooks(objects)
  await freeGenerated(objects, options, capsule === undefined ? () => true : (selector) => selector !== OF_POOLS)
  if (capsule === undefined) await freePools(objects)
  else say(`pools, their quotas and ledgers stay as they are: Capsule runs (${capsule.holder})`)
  await deleteOwn(objects, systemNamespace)
  await freeNamespaces(objects, options)
  if (crds) await deleteCrds(objects, clock)
  if (!keepInstalled) await deleteInstalled(objects, new Set([namespace, systemNamespace]), namespace, clock, say)
  if (await hasWebhooks(objects))
    throw new UninstallError(
      'the webhook configurations of allot have come back',
      'an allot without a Lease still runs (--no-leader-elect): stop it, and repeat the command',
    )
  const held = await objects.held()
  if (held.length > 0)
    throw new UninstallError(
      `others keep objects of allot, which go with their finalizers: ${held.join(', ')}`,
      'look for the programs of these finalizers, and repeat the command',
    )
}

/** Half an uninstallation is worse than none: all that is missing is named before anything is done. */
async function demandAccess(objects: ClusterObjects, options: UninstallOptions): Promise<void> {
  const { client, signal, systemNamespace, keepInstalled } = options
  const kinds = keepInstalled
    ? undefined
    : { installed: await installedKinds(objects), namespaced: (await objects.namespacedKinds()).kinds }
  const missing = await missingAccess(client, uninstallNeeds(options, kinds), systemNamespace, signal)()
  if (missing !== undefined)
    throw new UninstallError(missing, 'grant it to the account of the kubeconfig; nothing was changed')
}

/** The Capsule that runs, where it may look after pools: anyone may keep Leases of these names. Throws UninstallError where it needs what is to go, or an allot runs that has its objects elsewhere. */
async function othersThatRun(
  search: LeaderSearch,
  { systemNamespace, crds, generatedQuotas }: UninstallOptions,
): Promise<HeldLease | undefined> {
  const { client, clock, signal } = search
  const others = (await leasesNamed(search, LEASE_NAME)).filter(({ namespace }) => namespace !== systemNamespace)
  const places = others.map(({ namespace }) => namespace)
  const other = await liveLeader(search, others, await operatorNamespaces(client, places, clock, signal))
  if (other !== undefined)
    throw new UninstallError(
      `an allot runs (${other.holder}) that keeps the Lease ${other.lease.namespace}/${LEASE_NAME}`,
      `name its namespace with --system-namespace=${other.lease.namespace}, or stop it first: it would put back what is deleted`,
    )
  const named = await namedNamespaces(client, signal)
  const [place = ''] = named
  if (named.size > 0 && !named.has(systemNamespace))
    throw new UninstallError(
      `the webhook configurations are those of an allot that has its own objects in the namespace ${place}`,
      `name it with --system-namespace=${place}; nothing was changed`,
    )
  const isPrivileged = await privilegedNamespaces(client, OPERATOR_RIGHT, signal)
  const capsule = await liveLeader(search, await leasesNamed(search, CAPSULE_LEASE_NAME), isPrivileged)
  if (capsule !== undefined && (crds || generatedQuotas === 'remove'))
    throw new UninstallError(
      `Capsule runs (${capsule.holder}) and needs the CRDs and the quotas of its pools`,
      'leave out --crds and --generated-quotas=remove, or stop Capsule first',
    )
  return capsule
}

async function webhookKinds(objects: ClusterObjects): Promise<readonly ResourceKind[]> {
  const kinds = await Promise.all(
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => objects.kindOf(ADMISSION, kind)),
  )
  return kinds.filter((kind) => kind !== undefined)
}

async function deleteWebhooks(objects: ClusterObjects): Promise<void> {
  for (const kind of await webhookKinds(objects))
    await objects.delete(kind, ...CONFIGURATION_NAMES.map((name) => ({ namespace: '', name })))
}

async function hasWebhooks(objects: ClusterObjects): Promise<boolean> {
  for (const kind of await webhookKinds(objects))
    for (const name of CONFIGURATION_NAMES)
      if ((await objects.find(kind, { namespace: '', name })) !== undefined) return true
  return false
}

/** What stays in namespaces must not go with its pool, and pools must be deletable from now on. */
async function freeGenerated(
  objects: ClusterObjects,
  { generatedQuotas }: UninstallOptions,
  isFree: (labelSelector: string) => boolean,
): Promise<void> {
  for (const [kindName, labelSelector] of GENERATED.filter(([, selector]) => isFree(selector))) {
    const kind = await objects.kindOf('v1', kindName)
    if (kind === undefined) continue
    const generated = await objects.list(kind, { labelSelector })
    if (generatedQuotas === 'remove') await objects.delete(kind, ...generated.map(nameOf))
    const bound = generatedQuotas === 'remove' ? generated.filter(hasFinalizers) : generated.filter(isBound)
    await objects.patchEach(
      kind,
      bound,
      () => ({ metadata: { ownerReferences: null, finalizers: null } }),
      generatedQuotas === 'remove' ? 'freed' : 'kept, without its owner',
    )
  }
}

/** Pools must be deletable when no operator takes their finalizer away, and ledgers say nothing without one. */
async function freePools(objects: ClusterObjects): Promise<void> {
  const pools = await objects.list(resourcePool)
  await objects.patchEach(
    resourcePool,
    pools.filter(({ metadata }) => metadata.finalizers?.includes(POOL_FINALIZER) === true),
    ({ metadata: { finalizers = [], resourceVersion } }) => ({
      metadata: { finalizers: finalizers.filter((one) => one !== POOL_FINALIZER), resourceVersion },
    }),
    'freed of its finalizer',
  )
  await objects.delete(quantityLedger, ...(await objects.list(quantityLedger)).map(nameOf))
}

const hasFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).length > 0
const isBound = (quota: KubeObject): boolean =>
  hasFinalizers(quota) || (quota.metadata.ownerReferences ?? []).some(({ kind }) => kind === resourcePool.kind)

async function deleteOwn(objects: ClusterObjects, namespace: string): Promise<void> {
  for (const [apiVersion, kind, names] of OWN_OBJECTS) {
    const resource = await objects.kindOf(apiVersion, kind)
    if (resource !== undefined) await objects.delete(resource, ...names.map((name) => ({ namespace, name })))
  }
}

async function freeNamespaces(objects: ClusterObjects, { generatedQuotas }: UninstallOptions): Promise<void> {
  const namespaces = await objects.kindOf('v1', 'Namespace')
  if (namespaces === undefined) return
  const labels = [EXEMPT_LABEL, ...(generatedQuotas === 'remove' ? LABELS_OF_INCREASES : [])]
  const marked = (await objects.list(namespaces)).filter(
    ({ metadata }) =>
      labels.some((label) => metadata.labels?.[label] !== undefined) ||
      metadata.annotations?.[PROBLEM_ANNOTATION] !== undefined,
  )
  const nothing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))
  await objects.patchEach(
    namespaces,
    marked,
    () => ({ metadata: { labels: nothing(labels), annotations: nothing([PROBLEM_ANNOTATION]) } }),
    'freed of its labels',
  )
}

/** Resolves when they are gone: a cluster deletes the objects of a kind before its CRD. */
async function deleteCrds(objects: ClusterObjects, clock: Clock): Promise<void> {
  const kind = await objects.kindOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
  if (kind === undefined) return
  const names = customResources.map(({ resource, group }) => ({ namespace: '', name: `${resource}.${group}` }))
  await objects.delete(kind, ...names)
  for (const name of names)
    if (!(await objects.isGone(kind, name, clock)))
      throw new UninstallError(
        `the CRD ${name.name} is not gone yet`,
        'look for objects of its kind with finalizers of others, and repeat the command',
      )
}

interface LeaderSearch {
  readonly objects: ClusterObjects
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/** The Leases of this name, in whatever namespace. */
const leasesNamed = async ({ objects }: LeaderSearch, name: string): Promise<readonly ObjectName[]> =>
  (await objects.list(LEASES, { fieldSelector: `metadata.name=${name}` })).map(nameOf)

/** The leader that keeps one of the Leases in a namespace that counts; undefined where none does. */
const liveLeader = (
  { client, clock, signal }: LeaderSearch,
  leases: readonly ObjectName[],
  counts: IsPrivileged,
): Promise<HeldLease | undefined> =>
  firstHeld(
    client,
    leases.filter(({ namespace }) => counts(namespace)),
    clock,
    signal,
  )
