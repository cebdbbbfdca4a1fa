import type { Explanation, Remedy } from '../insight/explain/explanation.ts'
import { explain } from '../insight/explain/explain.ts'
import type { Facts, Target } from '../insight/explain/facts.ts'
import { isPlannedLimit } from '../insight/explain/planned-limits.ts'
import { explainRequest } from '../insight/explain/request-for-room.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { isAllowed } from '../kube/client/missing-access.ts'
import { AdvisingError } from '../machinery/advising-error.ts'
import type { KubeObject } from '../machinery/object.ts'
import { QuantityError } from '../quantity/quantity.ts'
import type { ServedKinds } from './served-kinds.ts'

/** It cannot be explained. */
export class ExplainError extends AdvisingError {}

/** An object that is asked about. */
export interface Asked extends Target {
  readonly kind: ResourceKind
  /** The manifest that was given; there may be an object of its name already. */
  readonly manifest?: KubeObject
}

/** Reads the object that is asked about. Throws ExplainError for a kind that there is not, and rejects as `KubeClient` does. */
export async function askedObject(
  client: Pick<KubeClient, 'get'>,
  kinds: ServedKinds,
  { kind: word, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Asked> {
  const kind = kinds.named(word)
  if (kind === undefined || !kind.namespaced)
    throw new ExplainError(
      `there is no kind ${JSON.stringify(word)} that can be explained`,
      'give a workload (deployment, statefulset, daemonset, job, cronjob, replicaset), a pod, a persistentvolumeclaim, a resourcebinding, a resourcepoolclaim or a quotaincrease',
    )
  const object = await client.get<KubeObject>(kind, { namespace, name }, { signal })
  return { object, isStored: true, kind }
}

/** Explains an object by the facts of its namespace. Throws ExplainError for an amount that cannot be read. */
export function explainAsked({ kind, manifest, ...target }: Asked, facts: Facts): Explanation {
  try {
    const request = target.isStored ? explainRequest(target.object, facts.namespace) : undefined
    if (request !== undefined) return request
    const explanation = explain(target, { group: kind.group, resource: kind.resource }, facts)
    // Quotas and LimitRanges of the manifests are taken into account as they are written.
    if (manifest === undefined || !target.isStored || isPlannedLimit(manifest)) return explanation
    const { kind: what, name } = explanation.object
    const text = `${what} ${name} exists: this is about the stored object, and not about the manifest`
    return { ...explanation, warnings: [{ type: 'exists', text }, ...explanation.warnings] }
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new ExplainError(
      `an amount of ${target.object.kind} ${target.object.metadata.name ?? ''}, or of a quota, cannot be read: ${error.message}`,
      'mend it, and repeat the command',
    )
  }
}

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
          return await isAllowed(client, { verb, group, resource, subresource, namespace, name }, signal)
        }),
      )
      const allowed = answers.every(Boolean)
      return { ...remedy, allowed }
    }),
  )
  return { ...explanation, remedies: remedies.toSorted((a, b) => Number(b.allowed) - Number(a.allowed)) }
}
