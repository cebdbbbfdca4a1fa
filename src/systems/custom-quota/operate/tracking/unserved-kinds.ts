import { jsonEqual } from '../../../../machinery/json-value.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { kindText, type SourceKind } from '../../decide/source-kind.ts'
import type { KeptCrd } from '../../../../operator/cluster/kept-crd.ts'
import type { TrackedQuota } from './tracked-quota.ts'

/** A resource in all its versions. */
export type UnservedResource = Pick<ServerResource, 'group' | 'version' | 'resource' | 'namespaced' | 'subresources'>

const ANY_VERSION = '*'

/**
 * The resources of kinds that quotas name and the API server does not serve, in the version that the quota reads or at
 * all. Their objects cannot be counted, so none may be written. They may come in other versions. They may also come
 * when the kind is served again, before the quota counts it.
 */
export class UnservedKinds {
  readonly #crdOf: (kind: SourceKind) => KeptCrd | undefined
  /** The resources of kinds that were served once, by quota. */
  readonly #known = new WeakMap<TrackedQuota, Map<string, UnservedResource>>()
  readonly #unserved = new Map<TrackedQuota, readonly UnservedResource[]>()
  readonly #quotas = new Map<string, Set<TrackedQuota>>()

  constructor(crdOf: (kind: SourceKind) => KeptCrd | undefined) {
    this.#crdOf = crdOf
  }

  /** The resources, each with a quota that names it. */
  *all(): Generator<readonly [UnservedResource, TrackedQuota]> {
    for (const [tracked, resources] of this.#unserved) for (const resource of resources) yield [resource, tracked]
  }

  /** Those that a quota names. */
  of(tracked: TrackedQuota): readonly UnservedResource[] {
    return this.#unserved.get(tracked) ?? []
  }

  /** The quotas that name a kind behind this resource, which is not served. */
  quotasOf({ group, resource }: Pick<ServerResource, 'group' | 'resource'>): Iterable<TrackedQuota> {
    return this.#quotas.get(keyOf({ group, resource })) ?? []
  }

  /** Remembers the resource of a kind that is served. */
  note(tracked: TrackedQuota, kind: SourceKind, { group, resource, namespaced, subresources }: ServerResource): void {
    const known = this.#known.get(tracked) ?? new Map<string, UnservedResource>()
    known.set(kindText(kind), { group, version: ANY_VERSION, resource, namespaced, subresources })
    this.#known.set(tracked, known)
  }

  /** The kinds of a quota that are not served. Returns whether that changed anything. */
  set(tracked: TrackedQuota, kinds: readonly SourceKind[]): boolean {
    const resources = kinds.flatMap((kind) => this.#resourceOf(tracked, kind) ?? [])
    const before = this.#unserved.get(tracked) ?? []
    if (jsonEqual(before, resources)) return false
    for (const resource of before) {
      const quotas = this.#quotas.get(keyOf(resource))
      quotas?.delete(tracked)
      if (quotas?.size === 0) this.#quotas.delete(keyOf(resource))
    }
    if (resources.length === 0) this.#unserved.delete(tracked)
    else this.#unserved.set(tracked, resources)
    for (const resource of resources) {
      const quotas = this.#quotas.get(keyOf(resource)) ?? new Set()
      this.#quotas.set(keyOf(resource), quotas.add(tracked))
    }
    return true
  }

  #resourceOf(tracked: TrackedQuota, kind: SourceKind): UnservedResource | undefined {
    const crd = this.#crdOf(kind)
    return crd === undefined ? this.#known.get(tracked)?.get(kindText(kind)) : resourceOf(crd)
  }
}

function resourceOf({ group, resource, namespaced, scalePaths }: KeptCrd): UnservedResource {
  const subresources = Object.keys(scalePaths).length > 0 ? ['scale'] : []
  return { group, version: ANY_VERSION, resource, namespaced, subresources }
}

const keyOf = ({ group, resource }: Pick<ServerResource, 'group' | 'resource'>): string => `${group}/${resource}`
