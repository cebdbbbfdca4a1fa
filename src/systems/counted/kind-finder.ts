import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KeptCrd } from '../../operator/cluster/kept-crd.ts'
import { ServedKinds } from '../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../operator/shell/shared-watch.ts'

/** A kind as a quota names it: by its kind, or by its resource. */
export interface NamedKind {
  readonly group: string
  /** Left out or empty: the one that the API server prefers. */
  readonly version?: string
  readonly kind?: string
  readonly resource?: string
}

/** The answer of the API server about a kind. */
export interface FoundKind<K extends NamedKind = NamedKind> {
  readonly kind: K
  /** Undefined where the kind is not served, or nobody knows. */
  readonly resource: ServerResource | undefined
  /** Why nobody knows. */
  readonly error?: unknown
}

/** How long to wait before the API server is asked again for a kind that it does not serve: not every kind has a CRD. */
export const ASK_AGAIN_MS = 15_000
/** … and where its CRD says that it is served: API servers need a moment longer to offer it. */
export const ASK_SOON_MS = 500
/** How long discovery may list a kind whose CRD is gone. */
const STALE_MS = 10_000

/** Finds the kinds that quotas name on the API server, and knows by their CRDs which of them come and go. */
export class KindFinder {
  readonly served: ServedKinds
  readonly #clock: Pick<Clock, 'monotonic'>
  #crds: CacheView<KeptCrd> | undefined
  /** When kinds were not served, in milliseconds of the monotonic clock: those are asked for now and then, once for all quotas. */
  readonly #absent = new Map<string, { readonly group: string; readonly at: number }>()
  /** When the CRDs of kinds went. */
  readonly #removed = new Map<string, number>()

  constructor(client: Pick<KubeClient, 'request'>, clock: Pick<Clock, 'monotonic'>) {
    this.served = new ServedKinds(client)
    this.#clock = clock
  }

  /** How many kinds are remembered as absent. */
  get absent(): number {
    return this.#absent.size
  }

  /** Begins to go by CRDs. `onChange` is called with the groups of those that change. */
  follow(crds: CacheView<KeptCrd>, onChange: (group: string) => void): void {
    this.#crds = crds
    crds.onChange((old, current) => {
      for (const name of namesOf(current ?? old))
        if (current === undefined) this.#removed.set(name, this.#clock.monotonic())
        else this.#removed.delete(name)
      const groups = new Set([old, current].flatMap((one) => (one === undefined ? [] : [one.group])))
      for (const group of groups) {
        this.forget(group)
        onChange(group)
      }
    })
  }

  /** Ends what `follow` began. */
  end(): void {
    this.#crds?.release()
    this.#crds = undefined
  }

  /**
   * The resource of a kind; undefined where it is not served. Rejects as `KubeClient` does. `isAnew`: a kind that was just found absent is
   * asked for again soon, for somebody who has not asked before.
   */
  async find(
    kind: NamedKind,
    signal: AbortSignal,
    { isAnew = false }: { readonly isAnew?: boolean } = {},
  ): Promise<ServerResource | undefined> {
    const id = kindName(kind)
    const now = this.#clock.monotonic()
    this.#sweep(now)
    const absent = this.#absent.get(id)
    const restMs = isAnew ? ASK_SOON_MS : ASK_AGAIN_MS
    if (absent !== undefined && !this.isDefined(kind) && now - absent.at < restMs) return undefined
    if (this.#absent.delete(id)) this.served.forget(kind.group)
    const resource = await this.#find(kind, signal)
    if (resource !== undefined && !this.#isWithdrawn(kind)) return resource
    // Those that were found absent last stand last.
    this.#absent.delete(id)
    this.#absent.set(id, { group: kind.group, at: now })
    return undefined
  }

  /** Forgets absent kinds that are asked for again anyway: tenants name as many as they like. */
  #sweep(now: number): void {
    for (const [id, { group, at }] of this.#absent) {
      // The others were found absent later.
      if (now - at < ASK_AGAIN_MS) return
      this.#absent.delete(id)
      this.served.forget(group)
    }
  }

  /** Asks the API server again for the kinds of a group. */
  forget(group: string): void {
    this.served.forget(group)
    for (const [id, absent] of this.#absent) if (absent.group === group) this.#absent.delete(id)
  }

  /** The CRD that defines a kind, if one does. */
  crdOf(kind: NamedKind): KeptCrd | undefined {
    if (kind.resource !== undefined) return this.crd(`${kind.resource}.${kind.group}`)
    return this.#crds?.list().find((one) => one.group === kind.group && one.kind === kind.kind)
  }

  /** The CRD of a name. */
  crd(name: string): KeptCrd | undefined {
    return this.#crds?.get('', name)
  }

  /** Reports whether a CRD says that the kind is served. */
  isDefined(kind: NamedKind): boolean {
    const crd = this.crdOf(kind)
    return crd?.established === true && isServedBy(crd, kind)
  }

  #find({ group, version = '', kind, resource = '' }: NamedKind, signal: AbortSignal) {
    if (kind === undefined) return this.served.inAnyVersion({ group, resource }, { signal })
    return this.served.find({ group, version, kind }, { signal })
  }

  /** Reports whether the API server stops serving the kind. Discovery may list the kind for a moment longer. */
  #isWithdrawn(kind: NamedKind): boolean {
    const crd = this.crdOf(kind)
    if (crd !== undefined) return !isServedBy(crd, kind)
    for (const [name, at] of this.#removed) if (this.#clock.monotonic() - at > STALE_MS) this.#removed.delete(name)
    if (!namesOf(kind).some((name) => this.#removed.has(name))) return false
    // An aggregated API server may serve the kind: it is asked the next time.
    this.served.forget(kind.group)
    return true
  }
}

const isServedBy = ({ served }: KeptCrd, { version = '' }: NamedKind): boolean =>
  version === '' ? served.length > 0 : served.includes(version)

/** Names a kind by its kind and by its resource: kinds begin with a capital letter, and resources do not. */
const namesOf = (named: NamedKind | undefined): readonly string[] =>
  [named?.kind, named?.resource].flatMap((name) => (name === undefined ? [] : [`${named?.group ?? ''}/${name}`]))

/** Names a kind among those that quotas name. */
export const kindName = ({ group, version = '', kind = '', resource = '' }: NamedKind): string =>
  [group, version, kind, resource].join('/')
