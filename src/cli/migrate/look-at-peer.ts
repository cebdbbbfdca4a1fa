import type { Service } from '../../builtin/core-v1.ts'
import {
  type HookConfiguration,
  type PeerConfiguration,
  type PeerFacts,
  type PeerRunner,
  isHookOf,
  peerWorkload,
  runsPeer,
  serviceOf,
} from '../../migrate/takeover/peer-facts.ts'
import type { Deployment } from '../../builtin/apps-v1.ts'
import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import type { ObjectName, ResourceKind } from '../../kube/client/kube-client.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, objectsOf, specOf, textAt, textEntries, valueAt } from '../../machinery/read.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'
import type { TakeoverRecord } from '../../migrate/takeover/record.ts'
import { CRD_KIND } from '../../operator/cluster/kept-crd.ts'
import { CONFIGURATION_KINDS } from '../../operator/cluster/configuration-kinds.ts'
import { type ClusterObjects, nameOf } from '../../uninstall/cluster-objects.ts'
import { lookAtQuotas, unlistable } from './look-at-quotas.ts'
import type { TakeoverWork } from './takeover-work.ts'

export const DEPLOYMENTS = appsKind('Deployment', 'deployments')
const DAEMON_SETS = appsKind('DaemonSet', 'daemonsets')
const SERVICES: ResourceKind = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true }

function appsKind(kind: string, resource: string): ResourceKind {
  return { group: 'apps', version: 'v1', resource, kind, namespaced: true }
}

/**
 * Looks at what a cluster has of a peer and of allot, whose Deployment is in the namespace of the work. With `peerNamespace` the peer is in that one.
 * Rejects as `KubeClient` does.
 */
export async function lookAtPeer(
  { objects, client, signal, peer, namespace }: TakeoverWork,
  peerNamespace: string | undefined,
  record: TakeoverRecord | undefined,
): Promise<PeerFacts> {
  const hooks = await allHooks(objects)
  const { running, services } = await runningPeer(objects, peer, peerNamespace, record, hooks)
  const crds = await objects.list(CRD_KIND)
  const named = (crd: CustomResourceDefinition): boolean =>
    peer.kinds.some(({ resource, group }) => crd.metadata.name === `${resource}.${group}`)
  const counts: Record<string, number> = {}
  for (const kind of peer.kinds) counts[kind.kind] = (await objects.list(kind)).length
  const allot = await objects.find(DEPLOYMENTS, { namespace, name: 'allot' })
  const quotas = peer.charges ? await lookAtQuotas(objects) : []
  const counted = [...new Set(quotas.flatMap((quota) => quota.counts))]
  return {
    workloads: running.map((one) => peerWorkload(one, peer)),
    services,
    configurations: configurationsOf(hooks, peer, services),
    crds: crds.filter(named).map((crd) => ({ ...crd, apiVersion: 'apiextensions.k8s.io/v1', kind: CRD_KIND.kind })),
    counts,
    unserved: await unservedObjects(
      objects,
      peer,
      crds.filter((crd) => !named(crd)),
    ),
    ready: quotas.filter(({ isReady }) => isReady).map(({ uid }) => uid),
    unlistable: allot === undefined ? [] : await unlistable(client, allot, counted, signal),
    allotReplicas: allot === undefined ? undefined : (numberOf(replicasOf(allot)) ?? 1),
  }
}

async function unservedObjects(
  objects: ClusterObjects,
  { ownGroups, settings }: Peer,
  crds: readonly CustomResourceDefinition[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {}
  for (const crd of crds) {
    const group = textAt(crd, 'spec', 'group')
    const kind = textAt(crd, 'spec', 'names', 'kind')
    const version = objectsOf(valueAt(crd, 'spec', 'versions')).find(({ served }) => served === true)
    if (!ownGroups.includes(group) || settings.includes(kind) || version === undefined) continue
    const resource = textAt(crd, 'spec', 'names', 'plural')
    const namespaced = textAt(crd, 'spec', 'scope') === 'Namespaced'
    const listed = await objects.list({ group, version: textAt(version, 'name'), resource, kind, namespaced })
    if (listed.length > 0) found[kind] = listed.map(({ metadata }) => metadata.name ?? '')
  }
  return found
}

/**
 * The workloads that run an image of a peer, and the Services that lead to them. One without replicas counts only where a webhook asks it or an earlier
 * run stopped it: anyone may leave such a Deployment.
 */
async function runningPeer(
  objects: ClusterObjects,
  peer: Peer,
  peerNamespace: string | undefined,
  record: TakeoverRecord | undefined,
  hooks: readonly HookConfiguration[],
): Promise<{ readonly running: readonly KubeObject[]; readonly services: readonly string[] }> {
  const place = peerNamespace === undefined ? {} : { namespace: peerNamespace }
  const all = [
    ...(await objects.list(DEPLOYMENTS, place)).map((one) => ({ ...one, kind: 'Deployment' })),
    ...(await objects.list(DAEMON_SETS, place)).map((one) => ({ ...one, kind: 'DaemonSet' })),
  ].filter((one) => runsPeer(one, peer))
  const asked = new Set(hooks.flatMap((object) => objectsOf(object.webhooks)).map(serviceOf))
  const running: KubeObject[] = []
  const services: string[] = []
  for (const workload of all) {
    const found = await servicesOf(objects, workload)
    const wasStopped = (record?.deployments ?? []).some((one) => jsonEqual(nameOf(workload), placeOf(one)))
    if (replicasOf(workload) === 0 && !wasStopped && !found.some((one) => asked.has(one))) continue
    running.push(workload)
    services.push(...found)
  }
  return { running, services }
}

const replicasOf = (workload: Deployment): unknown => specOf(workload).replicas

const placeOf = ({ namespace, name }: TakeoverRecord['deployments'][number]): ObjectName => ({ namespace, name })

/** The Services that lead to the pods of a workload, as `namespace/name`. */
async function servicesOf(objects: ClusterObjects, workload: PeerRunner): Promise<readonly string[]> {
  const labels = new Map(textEntries(valueAt(workload, 'spec', 'template', 'metadata', 'labels')))
  const namespace = workload.metadata.namespace ?? ''
  return (await objects.list(SERVICES, { namespace })).flatMap((service) => {
    const selector = textEntries(specOf<Service>(service).selector)
    const leads = selector.length > 0 && selector.every(([label, value]) => labels.get(label) === value)
    return leads ? [`${namespace}/${service.metadata.name ?? ''}`] : []
  })
}

/** The webhook configurations of others than allot. */
async function allHooks(objects: ClusterObjects): Promise<readonly HookConfiguration[]> {
  const found: HookConfiguration[] = []
  for (const kind of Object.values(CONFIGURATION_KINDS))
    for (const object of await objects.list(kind))
      if (!CONFIGURATION_NAMES.some((name) => name === object.metadata.name))
        found.push({ ...object, apiVersion: 'admissionregistration.k8s.io/v1', kind: kind.kind })
  return found
}

/** Those in which webhooks of the peer stand. */
const configurationsOf = (
  configurations: readonly HookConfiguration[],
  peer: Peer,
  services: readonly string[],
): readonly PeerConfiguration[] =>
  configurations.flatMap((object) => {
    const hooks = objectsOf(object.webhooks).filter((hook) => isHookOf(hook, peer, services))
    return hooks.length === 0 ? [] : [{ object, hooks: hooks.map(({ name }) => String(name)) }]
  })
