import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, objectsOf, textAt, textEntries, valueAt } from '../../machinery/read.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'
import { type PeerConfiguration, type PeerFacts, peerWorkload, runsPeer } from '../../migrate/takeover/peer-facts.ts'
import { CRD_KIND } from '../../operator/shell/kept-crd.ts'
import { CONFIGURATION_KINDS } from '../../operator/webhook-configuration.ts'
import type { ClusterObjects } from '../../uninstall/cluster-objects.ts'
import { lookAtQuotas, unlistable } from './look-at-quotas.ts'
import type { TakeoverWork } from './takeover-work.ts'

export const DEPLOYMENTS = appsKind('Deployment', 'deployments')
const DAEMON_SETS = appsKind('DaemonSet', 'daemonsets')
const SERVICES: ResourceKind = { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true }

function appsKind(kind: string, resource: string): ResourceKind {
  return { group: 'apps', version: 'v1', resource, kind, namespaced: true }
}

/** Looks at what a cluster has of a peer and of allot, whose Deployment is in the namespace of the work. Rejects as `KubeClient` does. */
export async function lookAtPeer({ objects, client, signal, peer, namespace }: TakeoverWork): Promise<PeerFacts> {
  const running = [
    ...(await objects.list(DEPLOYMENTS)).map((one) => ({ ...one, kind: 'Deployment' })),
    ...(await objects.list(DAEMON_SETS)).map((one) => ({ ...one, kind: 'DaemonSet' })),
  ].filter((one) => runsPeer(one, peer))
  const crds = await objects.list(CRD_KIND)
  const named = (crd: KubeObject): boolean =>
    peer.kinds.some(({ resource, group }) => crd.metadata.name === `${resource}.${group}`)
  const counts: Record<string, number> = {}
  for (const kind of peer.kinds) counts[kind.kind] = (await objects.list(kind)).length
  const allot = await objects.find(DEPLOYMENTS, { namespace, name: 'allot' })
  const quotas = peer.charges ? await lookAtQuotas(objects) : []
  const counted = [...new Set(quotas.flatMap((quota) => quota.counts))]
  return {
    workloads: running.map((one) => peerWorkload(one, peer)),
    configurations: await configurationsOf(objects, peer, running),
    crds: crds.filter(named).map((crd) => ({ ...crd, apiVersion: 'apiextensions.k8s.io/v1', kind: CRD_KIND.kind })),
    counts,
    unserved: await unservedObjects(
      objects,
      peer,
      crds.filter((crd) => !named(crd)),
    ),
    unready: quotas.filter(({ isReady }) => !isReady).map(({ uid }) => uid),
    unlistable: allot === undefined ? [] : await unlistable(client, allot, counted, signal),
    allotReplicas: allot === undefined ? undefined : (numberOf(valueAt(allot, 'spec', 'replicas')) ?? 1),
  }
}

async function unservedObjects(
  objects: ClusterObjects,
  { ownGroups, settings }: Peer,
  crds: readonly KubeObject[],
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

/** The webhook configurations of others than allot in which webhooks of the peer stand. */
async function configurationsOf(
  objects: ClusterObjects,
  { hookDomains }: Peer,
  running: readonly KubeObject[],
): Promise<readonly PeerConfiguration[]> {
  const services = new Set<string>()
  for (const workload of running) {
    const labels = new Map(textEntries(valueAt(workload, 'spec', 'template', 'metadata', 'labels')))
    const namespace = workload.metadata.namespace ?? ''
    for (const service of await objects.list(SERVICES, { namespace })) {
      const selector = textEntries(valueAt(service, 'spec', 'selector'))
      if (selector.length > 0 && selector.every(([label, value]) => labels.get(label) === value))
        services.add(`${namespace}/${service.metadata.name ?? ''}`)
    }
  }
  const isOfPeer = (hook: unknown): boolean =>
    hookDomains.some((domain) => textAt(hook, 'name').endsWith(`.${domain}`)) ||
    services.has(
      `${textAt(hook, 'clientConfig', 'service', 'namespace')}/${textAt(hook, 'clientConfig', 'service', 'name')}`,
    )
  const found: PeerConfiguration[] = []
  for (const kind of Object.values(CONFIGURATION_KINDS))
    for (const object of await objects.list(kind)) {
      if (CONFIGURATION_NAMES.some((name) => name === object.metadata.name)) continue
      const hooks = objectsOf(object['webhooks']).filter(isOfPeer)
      if (hooks.length > 0)
        found.push({
          object: { ...object, apiVersion: 'admissionregistration.k8s.io/v1', kind: kind.kind },
          hooks: hooks.map(({ name }) => String(name)),
        })
    }
  return found
}
