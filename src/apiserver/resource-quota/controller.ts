import { jsonEqual } from '../../machinery/json-value.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { Evaluators } from '../../charges/evaluator.ts'
import { DEVICE_CLASSES, extendedResourceOf, resourceClaimEvaluator } from '../../charges/evaluators/resource-claim.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import type { ClockSteps } from '../../runtime/time/clock-steps.ts'
import { WallAlarms } from '../../runtime/time/wall-alarms.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { StoreWriter } from '../storing/store-writer.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import type { Registry } from '../resource/registry.ts'
import { putOf, type QuotaAccessor } from './quota-accessor.ts'

/** All quotas are counted again this often, as a check on the usage that writes carry along. */
const RESYNC_MS = 300_000
/** How long a status stands that somebody else wrote: clients of Kubernetes read what they wrote. */
const FOREIGN_MS = 1000
/** How often is looked whether the clock was set, which no alarm notices, in milliseconds. */
const CLOCK_MS = 1000

/** A usage that was not what counting finds, although nothing explains it. */
export interface Drift {
  readonly namespace: string
  readonly quota: string
  readonly stored: Readonly<Record<string, string>>
  readonly counted: Readonly<Record<string, string>>
}

export interface ResourceQuotaControllerOptions {
  readonly store: StoredObjects
  readonly writer: StoreWriter
  readonly registry: Registry
  readonly accessor: QuotaAccessor
  readonly evaluators: Evaluators
  readonly now: () => number
  /** The steps of the clock that `now` reads. */
  readonly clockSteps: ClockSteps
  readonly onError: (namespace: string, error: unknown) => void
  /** Reports each usage that the regular check had to correct. */
  readonly onDrift: (drift: Drift) => void
}

/**
 * Counts quotas that are new or have changed limits. It also counts quotas that the clock changes (a pod whose deletion
 * is overdue), or for which the cost of one object depends on others (claims made for pods). Other writes change the
 * usage themselves, see QuotaAdmission. Counting and writing happen in one turn on the newest accepted state, so no
 * charge is missed or overwritten.
 */
export class ResourceQuotaController {
  readonly #options: ResourceQuotaControllerOptions
  readonly #queue: WorkQueue
  readonly #expiries: WallAlarms
  /** The quotas that each waiting namespace has to count: these, or all of them. */
  readonly #due = new Map<string, Set<string> | 'all'>()
  /** Namespaces that wait for nothing but the regular check. */
  readonly #checked = new Set<string>()
  /** Namespaces that are counted soon. */
  readonly #soon = new Set<string>()
  readonly #watches = new Map<string, WatchHandle>()
  readonly #deviceClasses: WatchHandle
  readonly #resync: NodeJS.Timeout
  readonly #ticks: NodeJS.Timeout

  constructor(options: ResourceQuotaControllerOptions) {
    this.#options = options
    this.#queue = new WorkQueue({ work: (namespace) => this.#sync(namespace), onError: options.onError })
    this.#expiries = new WallAlarms({
      now: options.now,
      steps: options.clockSteps,
      onDue: (namespace) => {
        if (options.accessor.hasExpired(namespace)) this.recount(namespace)
      },
    })
    this.#resync = setInterval(() => this.#check(), RESYNC_MS).unref()
    this.#ticks = setInterval(() => this.#followClock(), CLOCK_MS).unref()
    this.#deviceClasses = options.store.watch({ bucket: qualified(DEVICE_CLASSES) }, ({ record, previous }) => {
      if (extendedResourceOf(record.object) !== extendedResourceOf(previous?.object)) this.#recountAll()
    })
    this.follow()
    this.#recountAll()
  }

  /** Watches what is served now; called again whenever kinds come or go. */
  follow(): void {
    const { registry, store } = this.#options
    const served = new Map(
      registry
        .stored()
        .filter((one) => one.served.namespaced)
        .map((one) => [one.bucket, one]),
    )
    for (const [bucket, resource] of served) {
      if (this.#watches.has(bucket)) continue
      this.#watches.set(
        bucket,
        store.watch({ bucket }, (event) => this.#notice(resource.id, event)),
      )
      this.#recountAll()
    }
    for (const [bucket, watch] of this.#watches) {
      if (served.has(bucket)) continue
      watch.close()
      this.#watches.delete(bucket)
      this.#recountAll()
    }
  }

  /** Has the quotas of a namespace counted anew at once. */
  recount(namespace: string): void {
    this.#checked.delete(namespace)
    this.#countAll(namespace)
  }

  /** Has the quotas of a namespace counted anew a second after somebody else has written a status there. */
  recountSoon(namespace: string): void {
    if (this.#soon.has(namespace)) return
    this.#soon.add(namespace)
    this.#queue.addAfter(namespace, FOREIGN_MS)
  }

  #countAll(namespace: string): void {
    this.#due.set(namespace, 'all')
    this.#queue.add(namespace)
  }

  /** A new rule of one quota does not cause a count of the others: a tenant may have many. */
  #countOne(namespace: string, name: string): void {
    const due = this.#due.get(namespace) ?? new Set()
    if (due !== 'all') this.#due.set(namespace, due.add(name))
    this.#queue.add(namespace)
  }

  /** Resolves when every quota that needs it has been counted. */
  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  async stop(): Promise<void> {
    clearInterval(this.#resync)
    clearInterval(this.#ticks)
    this.#expiries.stop()
    for (const watch of [...this.#watches.values(), this.#deviceClasses]) watch.close()
    await this.#queue.stop()
  }

  #notice(resource: GroupResource, event: StoreEvent): void {
    const { record, type } = event
    const namespace = record.key.slice(0, record.key.indexOf('/'))
    const { expiry, entangled } = this.#options.evaluators.of(resource) ?? {}
    if (entangled?.(record.object) === true && this.#hasEntangledClaims(namespace, record)) this.recount(namespace)
    if (type === 'deleted') {
      if (record.bucket === 'resourcequotas' && !this.#options.accessor.has(namespace))
        this.#options.accessor.forgetTime(namespace)
      return
    }
    if (record.bucket === 'resourcequotas' && isNewRule(event))
      this.#countOne(namespace, record.key.slice(namespace.length + 1))
    if (expiry?.(record.object) !== undefined) this.#await(namespace)
  }

  /** Is this, or anything in the namespace, a claim that was made for a pod? Only then what one costs hangs on the other. */
  #hasEntangledClaims(namespace: string, record: StoredRecord): boolean {
    const { accessor, store } = this.#options
    if (!accessor.has(namespace)) return false
    const bucket = qualified(resourceClaimEvaluator)
    if (record.bucket === bucket) return true
    for (const { object } of store.latestIn(bucket, namespace)) {
      if (resourceClaimEvaluator.entangled?.(object) === true) return true
    }
    return false
  }

  #await(namespace: string): void {
    const next = this.#options.accessor.nextExpiry(namespace)
    if (next !== undefined) this.#expiries.set(namespace, next)
  }

  #followClock(): void {
    for (const namespace of this.#options.accessor.expired()) this.recount(namespace)
  }

  #check(): void {
    for (const namespace of this.#limited()) {
      this.#checked.add(namespace)
      this.#countAll(namespace)
    }
  }

  #recountAll(): void {
    for (const namespace of this.#limited()) this.recount(namespace)
  }

  #limited(): ReadonlySet<string> {
    const namespaces = new Set<string>()
    for (const { key } of this.#options.store.latestIn('resourcequotas', undefined))
      namespaces.add(key.slice(0, key.indexOf('/')))
    return namespaces
  }

  /** One count of a namespace; objects that could not be counted are reported and tried again, with all quotas. */
  async #sync(namespace: string): Promise<void> {
    const due = this.#due.get(namespace) ?? 'all'
    this.#due.delete(namespace)
    this.#soon.delete(namespace)
    try {
      await this.#count(namespace, due)
    } catch (error) {
      this.#due.set(namespace, 'all')
      throw error
    }
  }

  async #count(namespace: string, due: ReadonlySet<string> | 'all'): Promise<void> {
    const { accessor, writer, onDrift } = this.#options
    const unexplained =
      this.#checked.delete(namespace) && !accessor.hasExpired(namespace) && !accessor.hasForeignStatus(namespace)
    const { changed, errors } = due === 'all' ? accessor.recountAll(namespace) : accessor.recountSome(namespace, due)
    accessor.forgetForeignStatus(namespace)
    for (const { record, quota } of changed) {
      const drift = unexplained ? driftOf(record, quota) : undefined
      if (drift !== undefined) onDrift(drift)
    }
    this.#await(namespace)
    try {
      if (changed.length > 0) await writer.commit(changed.map(({ quota }) => putOf(quota)))
    } catch (error) {
      accessor.forgetTime(namespace)
      throw error
    }
    if (errors.length > 0) throw new Error(`usage could not be counted: ${errors.join('; ')}`)
  }
}

/** Is it a new quota, or one with other limits or scopes? Its status follows at once. */
function isNewRule({ record, previous }: StoreEvent): boolean {
  return previous === undefined || !jsonEqual(specOf(previous.object), specOf(record.object))
}

const specOf = (quota: KubeObject): ResourceQuota['spec'] => (quota as ResourceQuota).spec

/** Returns the usage of a quota as it was and as it should have been; undefined where its limits have changed. */
function driftOf(record: StoredRecord, counted: ResourceQuota): Drift | undefined {
  const { status } = record.object as ResourceQuota
  if (status?.used === undefined || !jsonEqual(status.hard, counted.status?.hard)) return undefined
  const { namespace = '', name = '' } = counted.metadata
  return { namespace, quota: name, stored: status.used, counted: counted.status?.used ?? {} }
}
