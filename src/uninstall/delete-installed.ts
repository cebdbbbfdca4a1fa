import { INSTALLED } from '../install/install-objects.ts'
import { INSTALLED_LABEL, INSTALLED_NAME } from '../install/installed-names.ts'
import type { KubeObject } from '../machinery/object.ts'
import { textOf } from '../machinery/read.ts'
import { type ClusterObjects, nameOf } from './cluster-objects.ts'

const OURS = `${INSTALLED_LABEL}=${INSTALLED_NAME}`

/** Deletes what `allot install` printed, the pods first and the permissions last; then the namespace, if it printed that and nothing else is in it. */
export async function deleteInstalled(
  objects: ClusterObjects,
  namespace: string,
  systemNamespace: string,
): Promise<void> {
  const kinds = new Map(
    INSTALLED.map(({ object }) => [textOf(object['apiVersion']), textOf(object['kind'])] as const).map(
      (one) => [one.join(' '), one] as const,
    ),
  )
  for (const [apiVersion, kind] of [...kinds.values()].toReversed()) {
    const resource = await objects.kindOf(apiVersion, kind)
    if (resource === undefined) continue
    const place = resource.namespaced ? { namespace } : {}
    await objects.delete(resource, ...(await objects.list(resource, { ...place, labelSelector: OURS })).map(nameOf))
  }
  for (const name of new Set([namespace, systemNamespace])) await deleteNamespace(objects, name)
}

/** Kinds in which people keep what they need. A namespace with any of them is not deleted. */
const KEEPING = ['Pod', 'Service', 'ConfigMap', 'Secret', 'PersistentVolumeClaim', 'ReplicationController']
const KEEPING_APPS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']

async function deleteNamespace(objects: ClusterObjects, name: string): Promise<void> {
  const namespaces = await objects.kindOf('v1', 'Namespace')
  if (namespaces === undefined) return
  const found = await objects.find(namespaces, { namespace: '', name })
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) return
  if (found.metadata.labels?.[INSTALLED_LABEL] !== INSTALLED_NAME) return
  for (const [apiVersion, kind] of [
    ...KEEPING.map((kind) => ['v1', kind] as const),
    ...KEEPING_APPS.map((kind) => ['apps/v1', kind] as const),
  ]) {
    const resource = await objects.kindOf(apiVersion, kind)
    if (resource === undefined) continue
    if ((await objects.list(resource, { namespace: name })).some((object) => !isOfCluster(object))) return
  }
  await objects.delete(namespaces, { namespace: '', name })
}

/** What each namespace has, and what goes with something else. */
const isOfCluster = (object: KubeObject): boolean =>
  object.metadata.name === 'kube-root-ca.crt' ||
  object['type'] === 'kubernetes.io/service-account-token' ||
  object.metadata.deletionTimestamp !== undefined ||
  (object.metadata.ownerReferences ?? []).length > 0
