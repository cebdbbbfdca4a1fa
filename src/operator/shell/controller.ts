import { groupOf } from '../../machinery/group-version.ts'
import type { ObjectMeta } from '../../machinery/object.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import type { ChangeHandler, ChangeInfo } from '../../kube/cache/watch-cache.ts'
import type { Parts } from './dirty-set.ts'
import type { CacheView } from './shared-watch.ts'

/** Asks for an object to be reconciled. */
export interface ReconcileRequest {
  readonly key: string
  /** The part that changed (`DirtySet`); left out: all. */
  readonly part?: string | undefined
  /**
   * The delay in milliseconds. Left out: at once. An earlier reconcile cancels it. It takes the place of an earlier
   * one.
   */
  readonly after?: number
}

/** The next reconcile of an object after this one; an empty result leaves it until something changes. */
export interface ReconcileResult {
  /**
   * The delay in milliseconds until the next reconcile. 0: as soon as a worker is free. It takes the place of an
   * earlier one.
   */
  readonly requeueAfter?: number
  /** Parts that are dirty still: they are looked at with whatever happens next. Left out: then all is looked at. */
  readonly dirty?: Iterable<string>
  /** Changes are reconciled together that come within so many milliseconds. */
  readonly restFor?: number
}

/** Where the requests of a controller come from. */
export interface ControllerSource {
  /** Begins; first with everything that is there already. `name`: of the controller. Gives what ends it. */
  follow(name: string, enqueue: (request: ReconcileRequest) => void): () => void
}

/** A controller as a system declares it; the shell runs it while this process leads. */
export interface Controller {
  /** As logs and metrics have it; writes are marked with it (`CacheView.observed`). */
  readonly name: string
  /** How many objects are reconciled at a time; left out: one. */
  readonly workers?: number
  /** The kinds that it reconciles, owns and watches. */
  readonly sources: readonly ControllerSource[]
  /**
   * Reconciles one object. It returns the time of the next reconcile and does not wait. A key whose reconcile throws is tried
   * again, later each time. `dirty`: the parts to look at.
   */
  reconcile(key: string, dirty: Parts, signal: AbortSignal): Promise<ReconcileResult>
}

type View<T> = Pick<CacheView<T>, 'onChange'>

/** The objects that the controller reconciles, by `namespace/name`, or `name` where they are in none. Its own writes are known. */
export const reconciles = <T>(view: View<T>): ControllerSource =>
  watches(view, (_, __, change) => [{ key: nameOf(change) }])

/**
 * The objects that belong to those that it reconciles, of the kind `owner`. Its own writes are known: what it has to do after
 * them, `reconcile` says.
 */
export const owns = <T extends { readonly metadata: ObjectMeta }>(
  view: View<T>,
  owner: ResourceKind,
): ControllerSource =>
  watches(view, (old, current, { namespace }) =>
    ownersOf(owner, old, current).map((name) => ({
      key: owner.namespaced ? `${namespace}/${name}` : name,
      part: owner.namespaced ? undefined : namespace,
    })),
  )

/** Other objects; `requests` maps a changed one to the objects to reconcile. The controller's own writes are known. */
export const watches = <T>(
  view: View<T>,
  requests: (old: T | undefined, current: T | undefined, change: ChangeInfo) => Iterable<ReconcileRequest>,
): ControllerSource => ({
  follow: (name, enqueue) =>
    view.onChange((old, current, change) => {
      if (change.by === name) return
      for (const request of requests(old, current, change)) enqueue(request)
    }),
})

/** Other objects, of any writer: the writes of this controller may concern others that it reconciles too. */
export const watchesAll = <T>(
  view: View<T>,
  requests: (...change: Parameters<ChangeHandler<T>>) => Iterable<ReconcileRequest>,
): ControllerSource => ({
  follow: (_, enqueue) =>
    view.onChange((...change) => {
      for (const request of requests(...change)) enqueue(request)
    }),
})

const nameOf = ({ namespace, name }: ChangeInfo): string => (namespace === '' ? name : `${namespace}/${name}`)

function ownersOf(
  { kind, group }: ResourceKind,
  ...objects: readonly ({ readonly metadata: ObjectMeta } | undefined)[]
): readonly string[] {
  const owners = objects.flatMap((object) => object?.metadata.ownerReferences ?? [])
  const ours = owners.filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group)
  return [...new Set(ours.map(({ name }) => name))]
}
