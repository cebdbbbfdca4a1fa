import { RESOURCE_BINDINGS } from '../api/karmada-quota-names.ts'
import { costsOf } from '../decide/karmada-quota-costs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { Quantity, QuantityError } from '../../../quantity/quantity.ts'
import { quantityOf } from '../../../quantity/resource-list.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { WorkQueue } from '../../../runtime/tasks/work-queue.ts'
import { CountedKind } from '../../counted/count/counted-kind.ts'
import type { ObjectCost } from '../../counted/count/counted-objects.ts'
import { type NamespaceSelection, QuotaCount } from '../../counted/count/quota-count.ts'
import { CRD_KIND, type KeptCrd, keepServedKinds } from '../../../operator/cluster/kept-crd.ts'
import { ServedKinds } from '../../../operator/shell/served-kinds.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface CountedBindingsOptions {
  readonly context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>
  /** Called with each state of a binding in a namespace with quotas that is listed or watched. It must not throw. */
  readonly onSight: (binding: KubeObject) => void
  /** Called when the count of a quota, or whether it is counted, has changed. */
  readonly onChange: (key: string) => void
}

/** The bindings as they are counted. */
interface Watched {
  readonly resource: ServerResource
  readonly counted: CountedKind
}

/** The one thing that is looked for. */
const BINDINGS = RESOURCE_BINDINGS.resource
/** How long to wait before an API server is asked again for bindings that it does not serve. */
const ASK_AGAIN_MS = 15_000
/** So soon after a change of its CRD the API server may not offer a kind yet. */
const ASK_SOON_MS = 500
const EVERYTHING: NamespaceSelection = { has: () => true }

/** Counts ResourceBindings for KarmadaQuotas, for as long as there is a quota and the API server serves bindings. */
export class CountedBindings {
  /** All CRDs on the API server. */
  readonly crds: CacheView<KeptCrd>
  readonly #options: CountedBindingsOptions
  readonly #served: ServedKinds
  readonly #looking: WorkQueue
  readonly #inNamespace = new Map<string, Set<TrackedKarmadaQuota>>()
  readonly #stopping = new Set<Promise<void>>()
  #watched: Watched | undefined
  #resource: ServerResource | undefined
  #isMissing = false

  constructor(options: CountedBindingsOptions) {
    const { caches, client, logger } = options.context
    this.#options = options
    this.#served = new ServedKinds(client)
    this.#looking = new WorkQueue({
      work: (_, signal) => this.#look(signal),
      onError: (_, error) => logger.warn({ error }, 'the API server does not say whether it serves ResourceBindings'),
    })
    this.crds = caches.view<KeptCrd>({ kind: CRD_KIND, keep: keepServedKinds })
    this.crds.onChange((old, current) => {
      if ((current ?? old)?.group !== RESOURCE_BINDINGS.group) return
      this.#served.forget(RESOURCE_BINDINGS.group)
      this.#looking.add(BINDINGS)
    })
  }

  /** The bindings as the API server serves them; undefined while no quota counts them or they are not served. */
  get watched(): Watched | undefined {
    return this.#watched
  }

  /** The bindings as the API server served them last, also where no quota counts them any more. */
  get resource(): ServerResource | undefined {
    return this.#resource
  }

  /** Has the API server said that it serves none? */
  get isMissing(): boolean {
    return this.#isMissing
  }

  /** Counts for a quota from now on. */
  add(tracked: TrackedKarmadaQuota): void {
    const { namespace } = tracked.ref
    const there = this.#inNamespace.get(namespace)
    if (there === undefined) this.#inNamespace.set(namespace, new Set([tracked]))
    else there.add(tracked)
    if (this.#watched === undefined) this.#looking.add(BINDINGS)
    else this.#count(tracked, this.#watched)
  }

  /** Ends to count for a quota. Bindings that no quota counts are watched no longer. */
  drop(tracked: TrackedKarmadaQuota): void {
    const { namespace } = tracked.ref
    const there = this.#inNamespace.get(namespace)
    there?.delete(tracked)
    if (there?.size === 0) this.#inNamespace.delete(namespace)
    for (const count of tracked.counts?.values() ?? []) this.#watched?.counted.drop(count)
    tracked.counts = undefined
    if (this.#inNamespace.size === 0) this.#end()
  }

  async stop(): Promise<void> {
    await this.#looking.stop()
    this.#end()
    await Promise.all(this.#stopping)
  }

  /** Finds the bindings on the API server, and begins or ends to count them. */
  async #look(signal: AbortSignal): Promise<void> {
    const resource = await this.#served.find(RESOURCE_BINDINGS, { signal })
    this.#isMissing = resource === undefined
    if (this.#inNamespace.size === 0) return
    const isInCrd = this.#crd()?.served.includes(RESOURCE_BINDINGS.version) === true
    if (resource === undefined) {
      this.#looking.addAfter(BINDINGS, isInCrd ? ASK_SOON_MS : ASK_AGAIN_MS)
      for (const quotas of this.#inNamespace.values()) for (const { key } of quotas) this.#options.onChange(key)
      this.#forget()
    } else if (this.#watched === undefined) this.#begin(resource)
  }

  #crd(): KeptCrd | undefined {
    const { group, resource } = RESOURCE_BINDINGS
    return this.crds.get('', `${resource}.${group}`)
  }

  #begin(resource: ServerResource): void {
    const { caches, client, clock } = this.#options.context
    const counted = new CountedKind({
      client,
      clock,
      follow: (kind, sink) => caches.follow(kind, sink),
      kind: resource,
      measure: (object) => this.#measure(object),
    })
    const watched = { resource, counted }
    this.#watched = watched
    this.#resource = resource
    for (const quotas of this.#inNamespace.values()) for (const tracked of quotas) this.#count(tracked, watched)
    // Quotas that come in this turn are counted by the first list.
    queueMicrotask(() => counted.start())
  }

  #count(tracked: TrackedKarmadaQuota, { counted }: Watched): void {
    const changed = (): void => this.#options.onChange(tracked.key)
    const names = [...(tracked.compiled?.tracked.keys() ?? [])]
    const counts = new Map(names.map((name) => [name, new QuotaCount(tracked.ref.namespace, EVERYTHING, changed)]))
    tracked.counts = counts
    for (const count of counts.values()) counted.add(count)
    changed()
  }

  /** Bindings are not served any more: there are none. */
  #forget(): void {
    if (this.#watched === undefined) return
    for (const quotas of this.#inNamespace.values())
      for (const tracked of quotas) {
        tracked.counts = undefined
        this.#options.onChange(tracked.key)
      }
    this.#end()
  }

  #end(): void {
    const watched = this.#watched
    if (watched === undefined) return
    this.#watched = undefined
    const stopping = watched.counted.stop().finally(() => this.#stopping.delete(stopping))
    this.#stopping.add(stopping)
  }

  #measure(binding: KubeObject): readonly ObjectCost[] {
    const quotas = this.#inNamespace.get(binding.metadata.namespace ?? '')
    if (quotas === undefined) return []
    this.#options.onSight(binding)
    return [...quotas].flatMap((tracked) => costsFor(tracked, binding))
  }
}

function costsFor({ compiled, counts }: TrackedKarmadaQuota, binding: KubeObject): readonly ObjectCost[] {
  if (compiled === undefined || counts === undefined) return []
  try {
    const costs = costsOf(compiled, binding)
    return [...counts].map(([name, count]) => ({ count, amount: quantityOf(costs, name) ?? Quantity.zero }))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    // The schema of bindings keeps such requests out.
    return [...counts.values()].map((count) => ({ count, amount: Quantity.zero, problem: error.message }))
  }
}
