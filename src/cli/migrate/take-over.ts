import type { PeerFacts } from '../../migrate/takeover/peer-facts.ts'
import { MigrateError } from '../../migrate/error.ts'
import { belonging } from '../../migrate/takeover/belonging.ts'
import { type Accepted, refusalOf } from '../../migrate/takeover/peer-refusal.ts'
import { planLines } from '../../migrate/takeover/plan.ts'
import { type TakeoverRecord, recordOf } from '../../migrate/takeover/record.ts'
import { ClusterObjects } from '../../uninstall/cluster-objects.ts'
import { startAllot, untilAllotCharges, untilAllotLeads } from './await-allot.ts'
import { CONFIG_MAPS, findRecord, keepRecord, recordName } from './kept-record.ts'
import { demandAccess } from '../access/demand.ts'
import { lookAtPeer } from './look-at-peer.ts'
import { putBack } from './put-back.ts'
import { removeHooks, stopPeer } from './stop-peer.ts'
import type { TakeoverWork } from './takeover-work.ts'
import { LEASE_NAME } from '../../install/installed-names.ts'
import type { Need } from '../../install/rbac/need.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'

/** So long it may take to put a peer back after a failure. */
const BACK_MS = 300_000

/** The wishes of the caller. */
export interface TakeoverOptions extends Accepted {
  readonly isDryRun: boolean
  readonly isBack: boolean
  /** The namespace of the peer, where there may be several. */
  readonly peerNamespace?: string
  /** Prepares what is to be made besides, from what the cluster has. Nothing is written before `make`. */
  readonly prepare?: (facts: PeerFacts) => Promise<Preparation>
}

/** The objects that allot needs in place of the configuration of a peer. */
export interface Preparation {
  readonly lines: readonly string[]
  readonly made: readonly string[]
  readonly make: () => Promise<void>
}

/** Has allot take the place of a peer, or puts the peer back. Throws MigrateError, and UninstallError where an allot that it cannot stop goes on. */
export async function migratePeer(work: TakeoverWork, options: TakeoverOptions): Promise<void> {
  const { peer, objects, say, client, systemNamespace, signal } = work
  await demandAccess(client, takeoverNeeds(peer), systemNamespace, signal)
  const place = recordName(peer, work.systemNamespace)
  const record = await findRecord(objects, place)
  const facts = assumed(await lookAtPeer(work, peerNamespaceOf(work, options, record), record), options)
  if (!options.isBack) return await takeOver(work, options, facts, record)
  if (record === undefined)
    throw new MigrateError(
      `no allot has taken the place of ${peer.title} in this cluster`,
      'there is nothing to put back',
    )
  if (facts.workloads.length === 0)
    throw new MigrateError(
      `${peer.title} is gone: ${record.deployments.map(({ namespace, name }) => `the Deployment ${namespace}/${name}`).join(', ')}`,
      'install it again as it was, and repeat the command; nothing was changed',
    )
  const { kept, ignored } = belonging(peer, record, facts)
  for (const line of ignored) say(line)
  if (options.isDryRun) return say(backLine(work, kept))
  await putBack(work, kept)
  await objects.delete(CONFIG_MAPS, place)
}

/** An earlier run has chosen the namespace already. */
function peerNamespaceOf(
  { peer }: TakeoverWork,
  { peerNamespace }: TakeoverOptions,
  record: TakeoverRecord | undefined,
): string | undefined {
  const former = record?.deployments[0]?.namespace
  if (former !== undefined && peerNamespace !== undefined && former !== peerNamespace)
    throw new MigrateError(
      `an earlier run has found ${peer.title} in the namespace ${former}, not in ${peerNamespace}`,
      `leave --peer-namespace out, or put ${peer.title} back first with --back`,
    )
  return former ?? peerNamespace
}

const assumed = (facts: PeerFacts, { version }: Accepted): PeerFacts =>
  version === undefined ? facts : { ...facts, workloads: facts.workloads.map((one) => ({ ...one, version })) }

const backLine = ({ peer }: TakeoverWork, { configurations, deployments }: TakeoverRecord): string =>
  `allot ends, ${configurations.length} webhook configurations of ${peer.title} are put back, and ${deployments
    .map(({ namespace, name, replicas }) => `the Deployment ${namespace}/${name} goes to ${replicas} replicas`)
    .join(', ')}`

async function takeOver(
  work: TakeoverWork,
  options: TakeoverOptions,
  facts: PeerFacts,
  former: TakeoverRecord | undefined,
): Promise<void> {
  const { peer, client, signal, say } = work
  const refusal = refusalOf(peer, facts, options)
  if (refusal !== undefined) throw refusal
  const preparation = await options.prepare?.(facts)
  for (const line of [...planLines(peer, facts, options.outside), ...(preparation?.lines ?? [])]) say(line)
  if (options.isDryRun) return
  const record = former ?? recordOf(facts, preparation?.made ?? [])
  const place = recordName(peer, work.systemNamespace)
  if (former === undefined) await keepRecord(client, place, record, signal)
  try {
    await replacePeer(work, options, facts, preparation)
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}: ${peer.title} is put back`)
    // The command may have been interrupted.
    const after = AbortSignal.timeout(BACK_MS)
    const anew = new ClusterObjects(client, after, say)
    const { kept, ignored } = belonging(peer, record, facts)
    for (const line of ignored) say(line)
    await putBack({ ...work, objects: anew, signal: after }, kept)
    await anew.delete(CONFIG_MAPS, place)
    if (!signal.aborted) throw error
    throw new MigrateError('the command was interrupted', 'repeat it')
  }
  say(`allot has taken the place of ${peer.title}; allot migrate ${peer.name} --back puts it back`)
}

/** At no moment do both write, and what one of them decided is refused until the other decides it. */
async function replacePeer(
  work: TakeoverWork,
  { outside }: TakeoverOptions,
  facts: PeerFacts,
  preparation: Preparation | undefined,
): Promise<void> {
  const { peer } = work
  await stopPeer(work, facts.workloads)
  // Nobody answers these any more, and nothing takes their place.
  await removeHooks(work, facts.configurations, 'other')
  await preparation?.make()
  // A peer that decides on nothing leaves quotas that hold without allot.
  if (facts.allotReplicas === undefined && !outside) return
  await startAllot(work, facts.allotReplicas)
  await untilAllotLeads(work, facts)
  await removeHooks(work, facts.configurations, 'kinds')
  await untilAllotCharges(work, facts)
  if (peer.charges) await removeHooks(work, facts.configurations, 'charges')
}

const RBAC = 'rbac.authorization.k8s.io'
const ADMISSION = 'admissionregistration.k8s.io'

/** The permissions that the command needs, in either direction. `inSystemNamespace` is where allot runs. */
function takeoverNeeds({ kinds, lease }: Peer): readonly Need[] {
  const crds = kinds.map(({ resource, group }) => `${resource}.${group}`)
  return [
    { group: 'apps', resource: 'deployments', verbs: ['get', 'list', 'patch'] },
    { group: 'apps', resource: 'daemonsets', verbs: ['list'] },
    { group: '', resource: 'pods', verbs: ['list'] },
    { group: '', resource: 'pods', verbs: ['delete'], inSystemNamespace: true },
    { group: '', resource: 'namespaces', verbs: ['list', 'patch', 'create'] },
    { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verbs: ['create'] },
    { group: '', resource: 'services', verbs: ['list'] },
    { group: '', resource: 'configmaps', verbs: ['get'] },
    { group: '', resource: 'configmaps', verbs: ['create', 'delete'], inSystemNamespace: true },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verbs: ['list'] },
    { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verbs: ['get', 'update'], names: crds },
    ...['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((resource) => ({
      group: ADMISSION,
      resource,
      verbs: ['get', 'list', 'create', 'update', 'delete'],
    })),
    { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get'], names: [LEASE_NAME], inSystemNamespace: true },
    ...(lease === undefined
      ? []
      : [
          { group: 'coordination.k8s.io', resource: 'leases', verbs: ['list'] },
          // A Lease counts only where a program may do what the peer does.
          { group: RBAC, resource: 'clusterroles', verbs: ['list'] },
          { group: RBAC, resource: 'clusterrolebindings', verbs: ['list'] },
        ]),
    ...kinds.map(({ group, resource }) => ({ group, resource, verbs: ['list'] })),
  ]
}
