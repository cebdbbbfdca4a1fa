import type { PodTemplateSpec } from '../../../builtin/core-v1.ts'
import type { ControllerRevision, DaemonSet, StatefulSet } from '../../../builtin/apps-v1.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { greatest, int64, type Int64, isTree, wholeNumber } from '../../../machinery/json-value.ts'
import { controllerOf, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { ApiError } from '../../../machinery/status.ts'
import { countOf, numberOf, objectOf, specOf, statusOf } from '../../../machinery/read.ts'
import type { ControllerClient } from './controller-client.ts'
import { controllerReference, type OwnedObjects } from './owned-objects.ts'
import type { WriteRejection } from './replica-pods.ts'
import { sameTemplate } from '../../../kinds/apps/same-template.ts'
import { templateHash } from './template-hash.ts'

export const REVISIONS = 'controllerrevisions.apps'
/** The label under which pods name their revision. */
export const POD_REVISION = 'controller-revision-hash'

export interface Newest {
  readonly revision: ControllerRevision
  /** How many names were taken by other templates. */
  readonly collisions: number
  /** Why the revision could not be stored; undefined if it is. */
  readonly refusal: WriteRejection
}

const numberOfRevision = (revision: ControllerRevision): bigint => wholeNumber(revision['revision']) ?? 0n

/** The pod template that a revision holds. */
export function templateOf(revision: ControllerRevision): JsonObject {
  const { $patch: _patch, ...template } = objectOf(objectOf(objectOf(revision['data'])['spec'])['template'])
  return template
}

/** The kinds that keep the revisions of their template. */
type RevisedWorkload = StatefulSet | DaemonSet

/** The templates that an owner has had, each as a ControllerRevision, for a rollback. */
export class RevisionHistory {
  readonly #client: ControllerClient
  readonly #revisions: OwnedObjects
  readonly #hashLabel: string

  /** `hashLabel`: under which a revision itself carries the hash that its name ends in. */
  constructor(client: ControllerClient, revisions: OwnedObjects, hashLabel: string) {
    this.#client = client
    this.#revisions = revisions
    this.#hashLabel = hashLabel
  }

  /** Oldest first. */
  of(owner: RevisedWorkload): readonly KubeObject[] {
    return this.#revisions.of(owner.metadata.uid).toSorted(byRevision)
  }

  /** The hash in the name of a revision. */
  hashOf({ metadata }: KubeObject): string {
    return metadata.labels?.[this.#hashLabel] ?? ''
  }

  /** The revision of the present template, as the newest of all. Pods rest on it only if nothing refused it. */
  async newest(owner: RevisedWorkload): Promise<Newest> {
    const revisions = this.of(owner)
    const collisions = countOf(statusOf(owner)['collisionCount'])
    const present = revisions.findLast((revision) => isOf(revision, owner))
    if (present === undefined) return await this.#create(owner, next(revisions), collisions)
    try {
      // An earlier template has come back: its revision is the newest again.
      if (present !== revisions.at(-1))
        await this.#client.update(REVISIONS, present, (current) => ({ ...current, revision: next(revisions) }))
      return { revision: present, collisions, refusal: undefined }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { revision: present, collisions, refusal: error.message }
    }
  }

  /** Takes revisions away that nobody uses, the oldest, when there are more of them than the owner keeps. Gives what refused to go. */
  async forget(owner: RevisedWorkload, isUsed: (revision: ControllerRevision) => boolean): Promise<WriteRejection> {
    const limit = numberOf(specOf(owner)['revisionHistoryLimit']) ?? 10
    const idle = this.of(owner).filter((revision) => !isUsed(revision))
    let refusal: WriteRejection
    for (const revision of idle.slice(0, Math.max(0, idle.length - limit)))
      try {
        await this.#client.remove(REVISIONS, revision)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refusal = error.message
      }
    return refusal
  }

  async #create(owner: RevisedWorkload, number: Int64, taken: number): Promise<Newest> {
    const { namespace = '', uid } = owner.metadata
    for (let collisions = taken; ; collisions++) {
      const wanted = this.#revisionFor(owner, number, collisions)
      try {
        const revision = await this.#client.ensure(REVISIONS, namespace, wanted)
        if (revision === undefined) continue
        if (controllerOf(revision)?.uid === uid && isOf(revision, owner))
          return { revision, collisions, refusal: undefined }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { revision: wanted, collisions, refusal: error.message }
      }
    }
  }

  #revisionFor(owner: RevisedWorkload, revision: Int64, collisions: number): KubeObject {
    const { name = '', namespace = '', annotations } = owner.metadata
    const template = objectOf(specOf(owner)['template'])
    const hash = templateHash(template, collisions)
    const labels = objectOf(objectOf(template['metadata'])['labels']) as Record<string, string>
    return {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${name.slice(0, 223)}-${hash}`,
        namespace,
        labels: { ...labels, [this.#hashLabel]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(owner)],
      },
      data: { spec: { template: sorted({ ...dated(template), $patch: 'replace' }) } },
      revision,
    }
  }
}

/** The template without a time of creation that is null, which upstream does not write. */
function dated(template: PodTemplateSpec): JsonObject {
  const { creationTimestamp, ...metadata } = objectOf(template['metadata'])
  return creationTimestamp === null ? { ...template, metadata } : template
}

/** The value with the names of all objects in order, as Go writes maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isTree(value)) return value
  const names = Object.keys(value).toSorted(byCodePoint)
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
}

const byRevision = (a: KubeObject, b: KubeObject): number =>
  Number(numberOfRevision(a) > numberOfRevision(b)) - Number(numberOfRevision(a) < numberOfRevision(b))

const next = (revisions: readonly ControllerRevision[]): Int64 => int64(greatest(revisions.map(numberOfRevision)) + 1n)

const isOf = (revision: ControllerRevision, owner: RevisedWorkload): boolean =>
  sameTemplate(templateOf(revision), specOf(owner)['template'], POD_REVISION)
