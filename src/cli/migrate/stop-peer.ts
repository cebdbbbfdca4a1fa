import {
  type HookPurpose,
  type PeerConfiguration,
  type PeerWorkload,
  purposeOf,
  webhooksOf,
} from '../../migrate/takeover/peer-facts.ts'
import { keeperRight, privilegedNamespaces } from '../../kube/election/privileged-namespaces.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { isHeld } from '../../kube/election/lease-liveness.ts'
import { LEASES } from '../../kube/election/lease-record.ts'
import { MigrateError } from '../../migrate/error.ts'
import { CONFIGURATION_KINDS } from '../../operator/cluster/configuration-kinds.ts'
import { nameOf } from '../../uninstall/cluster-objects.ts'
import { DEPLOYMENTS } from './look-at-peer.ts'
import { type TakeoverWork, until } from './takeover-work.ts'

export const PODS: ResourceKind = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Takes the replicas of a peer away, and resolves when none of it writes any more. */
export async function stopPeer(work: TakeoverWork, workloads: readonly PeerWorkload[]): Promise<void> {
  const { objects, peer } = work
  for (const { namespace, name, replicas } of workloads)
    if (replicas !== 0) await objects.patch(DEPLOYMENTS, { namespace, name }, { spec: { replicas: 0 } }, 'scaled to 0')
  for (const { namespace, selector } of workloads)
    await until(
      work,
      async () => {
        const left = await objects.list(PODS, { namespace, labelSelector: selector })
        return left.length === 0
          ? undefined
          : `${left.length} pods of ${peer.title} in the namespace ${namespace} do not end`
      },
      'delete them with --force, and repeat the command',
    )
  await untilNobodyLeads(work)
}

/** A Lease says itself how long it lasts: the caller's patience bounds it. Anyone may keep one of that name in a namespace of their own. */
async function untilNobodyLeads({
  peer,
  objects,
  client,
  clock,
  signal,
  say,
  patienceMs,
}: TakeoverWork): Promise<void> {
  if (peer.lease === undefined) return
  const [first] = peer.kinds
  const counts = first === undefined ? () => true : await privilegedNamespaces(client, keeperRight(first), signal)
  const over = AbortSignal.timeout(Math.min(patienceMs, LONGEST_TIMER_MS))
  for (const lease of await objects.list(LEASES, { fieldSelector: `metadata.name=${peer.lease}` })) {
    const place = `${lease.metadata.namespace ?? ''}/${peer.lease}`
    if (!counts(lease.metadata.namespace ?? '')) {
      say(`the Lease ${place} does not count: no account of its namespace may do what ${peer.title} does`)
      continue
    }
    const { held, holder } = await isHeld(client, nameOf(lease), clock, AbortSignal.any([signal, over])).catch(
      (error: unknown) => {
        if (!over.aborted || signal.aborted) throw error
        throw new MigrateError(
          `the Lease ${place} has not run out in time`,
          `delete it if ${peer.title} has ended, or give it longer with --timeout`,
        )
      },
    )
    if (held)
      throw new MigrateError(
        `${peer.title} still runs: ${holder} keeps the Lease ${place}`,
        'stop it: it is none of the Deployments that the command found',
      )
  }
}

/** Takes the webhooks of a peer away that have this purpose. The webhooks of others in the same configurations stay. */
export async function removeHooks(
  { peer, objects, client, signal, say }: TakeoverWork,
  configurations: readonly PeerConfiguration[],
  purpose: HookPurpose,
): Promise<void> {
  for (const { object, hooks } of configurations) {
    const kind = Object.values(CONFIGURATION_KINDS).find((one) => one.kind === object.kind)
    const stored = kind === undefined ? undefined : await objects.find(kind, nameOf(object))
    if (kind === undefined || stored === undefined) continue
    const all = webhooksOf(stored)
    const left = all.filter((hook) => !hooks.includes(String(hook.name)) || purposeOf(hook, peer) !== purpose)
    if (left.length === all.length) continue
    if (left.length === 0) await objects.delete(kind, nameOf(object))
    else {
      await client.update(kind, { ...stored, webhooks: left }, { signal })
      say(
        `${kind.resource}.${kind.group}/${object.metadata.name ?? ''} without ${all.length - left.length} webhooks of ${peer.title}`,
      )
    }
  }
}
