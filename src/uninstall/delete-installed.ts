import { INSTALLED } from '../install/objects.ts'
import { INSTALLED_LABEL, INSTALLED_NAME } from '../install/installed-names.ts'
import { isOwnNamespace, printedLabels } from '../install/own-namespace.ts'
import type { ResourceKind } from '../kube/client/kube-client.ts'
import type { Clock } from '../kube/time/clock.ts'
import { groupOf } from '../machinery/group-version.ts'
import type { KubeObject, OwnerReference } from '../machinery/object.ts'
import { textOf } from '../machinery/read.ts'
import { qualified } from '../machinery/status.ts'
import { type ClusterObjects, nameOf } from './cluster-objects.ts'

const OURS = `${INSTALLED_LABEL}=${INSTALLED_NAME}`

/** The kinds of what `allot install` prints, as far as the API server has them, in the order in which they are made. */
export async function installedKinds(objects: ClusterObjects): Promise<readonly ResourceKind[]> {
  const named = INSTALLED.map(({ object }) => [textOf(object['apiVersion']), textOf(object['kind'])] as const)
  const found: ResourceKind[] = []
  for (const [apiVersion, kind] of new Map(named.map((one) => [one.join(' '), one] as const)).values()) {
    const resource = await objects.kindOf(apiVersion, kind)
    if (resource !== undefined) found.push(resource)
  }
  return found
}

/**
 * Deletes what `allot install` printed, the pods first and the permissions last; then the namespaces that came with allot, if nothing else is in
 * them. Resolves when they are gone. `say` gets a line about a namespace that stays.
 */
export async function deleteInstalled(
  objects: ClusterObjects,
  namespaces: ReadonlySet<string>,
  namespace: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  say: (line: string) => void,
): Promise<void> {
  for (const resource of (await installedKinds(objects)).toReversed()) {
    const place = resource.namespaced ? { namespace } : {}
    await objects.delete(resource, ...(await objects.list(resource, { ...place, labelSelector: OURS })).map(nameOf))
  }
  for (const name of namespaces) {
    const reason = await deleteNamespace(objects, name, clock)
    if (reason !== undefined) say(`namespaces/${name} stays: ${reason}`)
  }
}

/** Deletes a namespace, or gives the reason why it stays. */
async function deleteNamespace(
  objects: ClusterObjects,
  name: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<string | undefined> {
  const namespaces = await objects.kindOf('v1', 'Namespace')
  if (namespaces === undefined) return undefined
  const place = { namespace: '', name }
  const found = await objects.find(namespaces, place)
  if (found === undefined) return undefined
  if (found.metadata.deletionTimestamp === undefined) {
    if (!isOwnNamespace(found)) {
      await freeOfPrinted(objects, namespaces, found)
      return 'nothing shows that it came with allot; delete it if nothing else needs it'
    }
    const reason = await reasonToStay(objects, name)
    if (reason !== undefined) return reason
    await objects.deleteAsRead(namespaces, found)
  }
  if (await objects.isGone(namespaces, place, clock)) return undefined
  return 'it is being deleted; its status names the objects that are left'
}

/** A namespace that stays loses the labels that `allot install` has printed. */
async function freeOfPrinted(objects: ClusterObjects, kind: ResourceKind, namespace: KubeObject): Promise<void> {
  const labels = Object.fromEntries(printedLabels(namespace).map((label) => [label, null]))
  if (Object.keys(labels).length > 0)
    await objects.patch(kind, nameOf(namespace), { metadata: { labels } }, 'freed of its labels')
}

/** Returns why a namespace cannot go, if it cannot: it holds something else, or nobody knows. */
async function reasonToStay(objects: ClusterObjects, name: string): Promise<string | undefined> {
  const { kinds, unknown } = await objects.namespacedKinds()
  if (unknown.length > 0) return `the API server does not say what it holds of ${unknown.join(', ')}`
  const held = await heldIn(objects, name, kinds)
  if (held.length === 0) return undefined
  return `it holds ${held.slice(0, MOST_NAMED).join(', ')}${held.length > MOST_NAMED ? ' and more' : ''}`
}

const MOST_NAMED = 5

/** Kinds of objects that the cluster keeps about others, and lets go a moment after them. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'events',
  'events.events.k8s.io',
  'endpoints',
  'endpointslices.discovery.k8s.io',
])

/** Names what a namespace holds that does not go by itself. */
async function heldIn(
  objects: ClusterObjects,
  namespace: string,
  kinds: readonly ResourceKind[],
): Promise<readonly string[]> {
  const asked = kinds.filter((kind) => !FOLLOWING.has(qualified(kind)))
  const found: { readonly kind: ResourceKind; readonly object: KubeObject }[] = []
  for (const kind of asked) for (const object of await objects.list(kind, { namespace })) found.push({ kind, object })
  const ofEach = new Set(found.filter(isOfEachNamespace).map(({ object }) => object.metadata.uid))
  return found
    .filter(({ object: { metadata } }) => metadata.deletionTimestamp === undefined && !ofEach.has(metadata.uid))
    .filter(({ object }) => !goesWithOwners(object, asked, ofEach))
    .map(({ kind, object }) => `${kind.resource}/${object.metadata.name ?? ''}`)
}

const isOfEachNamespace = ({ kind: { resource }, object }: { kind: ResourceKind; object: KubeObject }): boolean =>
  (resource === 'configmaps' && object.metadata.name === 'kube-root-ca.crt') ||
  (resource === 'serviceaccounts' && object.metadata.name === 'default') ||
  object['type'] === 'kubernetes.io/service-account-token'

/**
 * Are all owners of an object in its namespace? Those that stay hold the namespace themselves, and with those that are gone the object goes. An
 * owner outside may stay, and so may one of a kind that nobody can list.
 */
function goesWithOwners(
  { metadata: { ownerReferences = [] } }: KubeObject,
  kinds: readonly ResourceKind[],
  ofEach: ReadonlySet<string | undefined>,
): boolean {
  const isThere = ({ apiVersion, kind, uid }: OwnerReference): boolean =>
    !ofEach.has(uid) && kinds.some((one) => one.kind === kind && one.group === groupOf(apiVersion))
  return ownerReferences.length > 0 && ownerReferences.every(isThere)
}
