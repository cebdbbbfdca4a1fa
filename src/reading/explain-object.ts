import type { Explanation, Remedy } from '../insight/explain/explanation.ts'
import { withChange } from '../insight/explain/change.ts'
import { explain } from '../insight/explain/explain.ts'
import type { Facts, Target } from '../insight/explain/facts.ts'
import { isPlannedLimit } from '../insight/explain/planned-limits.ts'
import { explainRequest } from '../insight/explain/request-for-room.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { isAllowed } from '../kube/client/missing-access.ts'
import { AdvisingError } from '../machinery/advising-error.ts'
import type { KubeObject } from '../machinery/object.ts'
import { claimsFromPool, withClaimRoom } from '../insight/explain/remedy/claim-in-queue.ts'
import type { ClaimRoom } from '../insight/explain/remedy/room-for-claim.ts'
import { qualified } from '../machinery/status.ts'
import { customResources } from '../systems/custom-resources.ts'
import { resourcePoolClaim } from '../systems/resource-pool/api/claim.ts'
import { readClaimRoom } from './read-claim-room.ts'
import { QuantityError } from '../quantity/quantity.ts'
import type { ServedKinds } from './served-kinds.ts'

/** It cannot be explained. */
export class ExplainError extends AdvisingError {}

/** An object that is asked about. */
export interface Asked extends Target {
  readonly kind: ResourceKind
  /** May the caller not read whether there is an object of its name? */
  readonly isHidden?: boolean
  /** What was read for a claim on a pool. */
  readonly room?: ClaimRoom
}

/** The name of an object, and the beginning of commands that lead to its namespace. */
export interface AskedName {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly kubectl: string
}

/** Reads the object that is asked about, and of a claim what it waits for. Throws ExplainError for a kind that there is not, and rejects as `KubeClient` does. */
export async function askedObject(
  client: KubeClient,
  kinds: ServedKinds,
  { kind: word, name, namespace, kubectl }: AskedName,
  signal: AbortSignal,
): Promise<Asked> {
  const kind = kinds.named(word)
  if (kind === undefined || !kind.namespaced)
    throw new ExplainError(
      `there is no kind ${JSON.stringify(word)} that can be explained`,
      'give a workload (deployment, statefulset, daemonset, job, cronjob, replicaset), a pod, a persistentvolumeclaim, a resourcebinding, a resourcepoolclaim or a quotaincrease',
    )
  const object = await client.get<KubeObject>(kind, { namespace, name }, { signal })
  const room =
    qualified(kind) === qualified(resourcePoolClaim)
      ? await readClaimRoom(client, kinds, namespace, kubectl, signal)
      : undefined
  return { object, isStored: true, kind, ...(room && { room }) }
}

/** Explains an object by the facts of its namespace. Throws ExplainError for an amount that cannot be read. */
export function explainAsked({ kind, isHidden, room, ...asked }: Asked, facts: Facts): Explanation {
  try {
    const { before } = asked
    const request = asked.isStored ? explainRequest(before ?? asked.object, facts.namespace, room) : undefined
    if (request !== undefined) return request
    // Quotas and LimitRanges of the manifests are taken into account as they are written.
    const isLimit = before !== undefined && isPlannedLimit(before)
    const target: Target = isLimit ? { object: before, isStored: true } : asked
    const explanation = explain(target, { group: kind.group, resource: kind.resource }, facts)
    if (isHidden === true) return undecided(explanation, qualified(kind))
    if (before === undefined || isLimit) return explanation
    const { kind: what, name } = explanation.object
    const text = `${what} ${name} exists: this is about the stored object once the manifest changes it`
    const changed = withChange(explanation, before, asked.object, kind, facts)
    return { ...changed, warnings: [{ type: 'exists', text }, ...changed.warnings] }
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new ExplainError(
      `an amount of ${asked.object.kind} ${asked.object.metadata.name ?? ''}, or of a quota, cannot be read: ${error.message}`,
      'mend it, and repeat the command',
    )
  }
}

/** A new object would take room, and one that is there takes it already: what is said of a new one is a guess. */
function undecided({ format, object, chain, notSeen }: Explanation, resource: string): Explanation {
  const name = `${object.kind} ${object.name}`
  return {
    format,
    object,
    verdict: 'unknown',
    summary: `${name}: whether it exists is unknown, because you may not read it`,
    chain,
    wanted: [],
    budgets: [],
    causes: [],
    warnings: [],
    holders: [],
    remedies: [],
    notSeen: [...notSeen, `${resource}: you may not read ${name}`],
  }
}

/**
 * The explanations by the pools that their remedies claim from. `read` reads these, as `readClaimRoom` does; it is called at most once, and only where
 * there is such a remedy. Rejects as `read` does.
 */
export async function withPools(
  explanations: readonly Explanation[],
  read: () => Promise<ClaimRoom>,
): Promise<readonly Explanation[]> {
  if (!explanations.some(claimsFromPool)) return explanations
  const room = await read()
  return explanations.map((one) => withClaimRoom(one, room))
}

/** A right in a namespace gives none to these. */
const OF_CLUSTER: ReadonlySet<string> = new Set(customResources.filter(({ namespaced }) => !namespaced).map(qualified))

/** Asks which of the remedies the caller may use. These come first. */
export async function withRights(
  explanation: Explanation,
  namespace: string,
  client: Pick<KubeClient, 'request'>,
  signal: AbortSignal,
): Promise<Explanation> {
  const remedies = await Promise.all(
    explanation.remedies.map(async (remedy): Promise<Remedy> => {
      const rights = [remedy.needs, ...(remedy.alsoNeeds ?? [])]
      const answers = await Promise.all(
        rights.map(async ({ verb, group, resource: whole, name }) => {
          const [resource = '', subresource = ''] = whole.split('/')
          const within = OF_CLUSTER.has(qualified({ group, resource })) ? '' : namespace
          return await isAllowed(client, { verb, group, resource, subresource, namespace: within, name }, signal)
        }),
      )
      const allowed = answers.every(Boolean)
      return { ...remedy, allowed }
    }),
  )
  return { ...explanation, remedies: remedies.toSorted((a, b) => Number(b.allowed) - Number(a.allowed)) }
}
