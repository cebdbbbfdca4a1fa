import type { Lookup } from '../../../charges/lookup.ts'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { slimObject } from '../../../kube/cache/trim-object.ts'
import type { StringPool } from '../../../kube/cache/string-pool.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { type GroupResource, isNotFound, qualified } from '../../../machinery/status.ts'
import type { ServedKinds } from '../../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'

/** The state of the objects of a resource: a text says why they cannot be counted now. */
export type WatchedState = 'unserved' | 'listed' | { readonly unread: string }

export interface WatchedObjectsOptions {
  readonly caches: Pick<OperatorContext['caches'], 'optionalView'>
  readonly clock: Pick<OperatorContext['clock'], 'monotonic'>
  readonly kinds: ServedKinds
  /** Called with each change of an object of a wanted resource. */
  readonly onChange: (of: GroupResource, old: KubeObject | undefined, current: KubeObject | undefined) => void
  /** Called when the state of a resource has changed. */
  readonly onState: (of: GroupResource) => void
}

interface Followed {
  readonly of: GroupResource
  users: number
  view: CacheView<KubeObject> | undefined
  /** Undefined: it is being looked for. */
  isServed: boolean | undefined
  problem: unknown
  lookedAt: number
}

/** How long an answer holds that a resource is not served, in milliseconds. */
export const LOOK_AGAIN_MS = 30_000

/** The objects of the resources that quotas count: each resource is watched for as long as some quota wants it. */
export class WatchedObjects {
  readonly #options: WatchedObjectsOptions
  readonly #followed = new Map<string, Followed>()

  constructor(options: WatchedObjectsOptions) {
    this.#options = options
  }

  /** Watches a resource, once for everybody who wants it. */
  want(of: GroupResource): void {
    const id = qualified(of)
    const known = this.#followed.get(id)
    if (known !== undefined) {
      known.users++
      return
    }
    const followed: Followed = { of, users: 1, view: undefined, isServed: undefined, problem: undefined, lookedAt: 0 }
    this.#followed.set(id, followed)
    void this.#look(id, followed)
  }

  /** Ends what `want` began. */
  release(of: GroupResource): void {
    const id = qualified(of)
    const followed = this.#followed.get(id)
    if (followed === undefined || --followed.users > 0) return
    this.#followed.delete(id)
    followed.view?.release()
  }

  stop(): void {
    for (const { view } of this.#followed.values()) view?.release()
    this.#followed.clear()
  }

  /** Looks again for a resource that was not served lately, or is not served any more. */
  state(of: GroupResource): WatchedState {
    const id = qualified(of)
    const followed = this.#followed.get(id)
    if (followed === undefined) return { unread: `${id} are not watched yet` }
    const { view, isServed, problem, lookedAt } = followed
    const isGone = view !== undefined && isNotFound(view.problem)
    const isOld = this.#options.clock.monotonic() - lookedAt > LOOK_AGAIN_MS
    if (isOld && (isGone || (view === undefined && (isServed === false || problem !== undefined)))) {
      followed.view = undefined
      view?.release()
      void this.#look(id, followed)
    }
    if (view === undefined && isServed === false) return 'unserved'
    if (view?.synced === true) return isGone ? 'unserved' : 'listed'
    const why = view?.problem ?? problem
    return {
      unread: why instanceof Error ? `${id} cannot be listed: ${why.message}` : `${id} have not been listed yet`,
    }
  }

  /** Looks at once for the resources of a group that are not served, or not any more: the CRD of a kind has changed. */
  lookAgain(group: string): void {
    for (const [id, followed] of this.#followed) {
      if (followed.of.group !== group || (followed.view !== undefined && !isNotFound(followed.view.problem))) continue
      followed.view?.release()
      followed.view = undefined
      void this.#look(id, followed)
    }
  }

  /** The objects of a resource in a namespace; undefined where it is not served or has not been listed. */
  in(of: GroupResource, namespace: string): readonly KubeObject[] | undefined {
    return this.state(of) === 'listed' ? this.#followed.get(qualified(of))?.view?.list(namespace) : undefined
  }

  readonly lookup: Lookup = {
    find: (of, namespace, name) => this.#followed.get(qualified(of))?.view?.get(namespace, name),
    list: (of, namespace) => this.#followed.get(qualified(of))?.view?.list(namespace) ?? [],
  }

  async #look(id: string, followed: Followed): Promise<void> {
    const { kinds, caches, clock, onChange, onState } = this.#options
    const { of } = followed
    followed.lookedAt = clock.monotonic()
    kinds.forget(of.group)
    try {
      const kind = await kinds.inAnyVersion(of)
      followed.problem = undefined
      followed.isServed = kind !== undefined
      if (this.#followed.get(id) !== followed || kind === undefined) return
      const keep = kind.namespaced && QUOTA_EVALUATORS.of(of)?.isUniform === true ? keepIdentity : keepObject
      const view = caches.optionalView<KubeObject>({ kind, keep })
      followed.view = view
      view.onChange((old, current) => onChange(of, old, current))
      await view.whenSynced()
    } catch (error) {
      followed.problem = error
    } finally {
      if (this.#followed.get(id) === followed) onState(of)
    }
  }
}

const keepObject = (object: KubeObject, share: StringPool, old: KubeObject | undefined): KubeObject =>
  keepEqual(slimObject(object, share), old)

/** Keeps only the identity of an object that is merely counted. Its resourceVersion is the first one that was seen. */
function keepIdentity(object: KubeObject, share: StringPool, old: KubeObject | undefined): KubeObject {
  const { namespace, name, uid, resourceVersion } = object.metadata
  if (old !== undefined && old.metadata.uid === uid) return old
  return {
    apiVersion: share(object.apiVersion),
    kind: share(object.kind),
    metadata: {
      ...(namespace === undefined ? {} : { namespace: share(namespace) }),
      ...(name === undefined ? {} : { name }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  }
}
