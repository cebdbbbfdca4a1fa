import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { objectsOf, textAt, textOf, textsOf, valueAt } from '../../machinery/read.ts'
import { isCompatible, type Peer, versionsText } from './peer.ts'
import type { PeerFacts } from './peer-facts.ts'
import { MigrateError } from '../error.ts'

/** The exceptions that the caller accepts. */
export interface Accepted {
  /** Kinds of the peer that allot does not serve are left alone. */
  readonly unserved: boolean
  /** The version of a peer whose image does not say it, in place of what the image says. */
  readonly version?: string
  /** allot runs outside of the cluster, where the command does not see it. */
  readonly outside: boolean
}

/** Returns why allot cannot take the place of a peer, with what to do about it; undefined where it can. */
export function refusalOf(peer: Peer, facts: PeerFacts, accepted: Accepted): MigrateError | undefined {
  const { title } = peer
  const [first] = facts.workloads
  if (first === undefined)
    return new MigrateError(
      `no Deployment in the cluster runs an image of ${title}`,
      `its image is to be named ${peer.images.join(' or ')}; where ${title} does not run, start allot, which finds its objects`,
    )
  const namespaces = [...new Set(facts.workloads.map(({ namespace }) => namespace))]
  if (namespaces.length > 1)
    return new MigrateError(
      `Deployments in several namespaces run an image of ${title}: ${facts.workloads.map(({ namespace, name }) => `${namespace}/${name}`).join(', ')}`,
      `say with --peer-namespace which namespace is the one of ${title}`,
    )
  const daemon = facts.workloads.find(({ kind }) => kind === 'DaemonSet')
  if (daemon !== undefined)
    return new MigrateError(
      `${title} runs as the DaemonSet ${daemon.namespace}/${daemon.name}, which has no replicas to take away`,
      'have its chart run it as a Deployment',
    )
  const odd = facts.workloads
    .map((one) => ({ ...one, version: accepted.version ?? one.version }))
    .find(({ version }) => !isCompatible(peer, version))
  if (odd !== undefined)
    return new MigrateError(
      `the Deployment ${odd.namespace}/${odd.name} runs ${title} ${odd.version || 'of a version that its image does not say'}, and allot takes the place of ${versionsText(peer)}`,
      `bring ${title} to one of these versions first, or say with --assume-version which one it is`,
    )
  return crdRefusal(peer, facts) ?? unservedRefusal(peer, facts, accepted) ?? allotRefusal(peer, facts, accepted)
}

function crdRefusal({ title, kinds }: Peer, { crds }: PeerFacts): MigrateError | undefined {
  if (crds.length === 0)
    return new MigrateError(
      `the cluster has none of the kinds ${kinds.map(({ kind }) => kind).join(', ')}`,
      `there is nothing to take over from ${title}: start allot`,
    )
  for (const crd of crds) {
    const version = kinds.find(({ resource, group }) => `${resource}.${group}` === crd.metadata.name)?.version ?? ''
    const others = storedIn(crd).filter((one) => one !== version)
    if (!servedBy(crd).includes(version))
      return new MigrateError(
        `the CRD ${crd.metadata.name} does not serve ${version}, which allot speaks`,
        `upgrade ${title} first`,
      )
    if (others.length > 0)
      return new MigrateError(
        `objects of the CRD ${crd.metadata.name} may be stored as ${others.join(', ')}, which allot cannot read`,
        `have ${title} write them anew as ${version}, and take the others out of its status.storedVersions`,
      )
    if (textAt(crd, 'spec', 'conversion', 'strategy') === 'Webhook')
      return new MigrateError(
        `the versions of the CRD ${crd.metadata.name} are converted by a webhook of ${title}`,
        `upgrade ${title} to a version without it first`,
      )
  }
  return undefined
}

const storedIn = (crd: CustomResourceDefinition): readonly string[] => textsOf(valueAt(crd, 'status', 'storedVersions'))
const servedBy = (crd: CustomResourceDefinition): readonly string[] =>
  objectsOf(valueAt(crd, 'spec', 'versions')).flatMap(({ name, served }) => (served === true ? [textOf(name)] : []))

function unservedRefusal({ title }: Peer, { unserved }: PeerFacts, accepted: Accepted): MigrateError | undefined {
  const kinds = Object.entries(unserved)
  if (kinds.length === 0 || accepted.unserved) return undefined
  return new MigrateError(
    `${title} also looks after ${kinds.map(([kind, names]) => `${names.length} of the kind ${kind} (${shortened(names)})`).join(', ')}, which allot does not`,
    `move them first (${resourcePool.kind}s take the place of the quotas of Tenants: allot migrate tenants), or leave them to nobody with --leave-unserved`,
  )
}

/** Three names, and how many more there are. */
export const shortened = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(', ') : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

/** Where the peer decides on nothing, quotas hold while neither runs, and allot can be installed afterwards. */
function allotRefusal(
  { title, charges }: Peer,
  { allotReplicas, unlistable }: PeerFacts,
  { outside }: Accepted,
): MigrateError | undefined {
  if (unlistable.length > 0)
    return new MigrateError(
      `allot may not list and watch ${unlistable.join(', ')}, which custom quotas count`,
      'give it a ClusterRole for that with the label allot.dev/aggregate-to-operator=true, and repeat the command; nothing was changed',
    )
  if (allotReplicas !== undefined || outside || !charges) return undefined
  return new MigrateError(
    'allot is not installed in the cluster',
    `install it first (allot install), as it waits for ${title} to end; for an allot outside of the cluster give --outside, and start it when the command asks for it`,
  )
}
