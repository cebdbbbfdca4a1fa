import { jsonEqual } from '../../../machinery/json-value.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import { WallAlarms } from '../../../runtime/time/wall-alarms.ts'
import { WorkQueue } from '../../../runtime/tasks/work-queue.ts'
import type { StoreEvent } from '../../../store/record/event.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import { objectOf } from '../../../machinery/read.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { parseResourceList, quantityOf } from '../../../quantity/resource-list.ts'
import type { StatusReports } from './status-reports.ts'

/** Refused work is tried again after this, doubling: room in a quota brings it back at once. */
const RETRY_MS = { first: 100, last: 1_000_000 } as const
const QUOTAS = 'resourcequotas'

/** The work could not be done now, for a reason that has been reported; it is to be tried again. */
export class RequeueAfter extends Error {
  override readonly name = 'RequeueAfter'
}

export interface LoopOptions {
  readonly port: Pick<WorkloadPort, 'store' | 'serverContext' | 'clockSteps'>
  /** Whose objects are looked after, and the kind by which what they own calls them. */
  readonly bucket: string
  readonly kind: string
  /** The owned buckets: a change there adds the owner to the queue. */
  readonly owns: readonly string[]
  /** Brings the world nearer to what the object wants. Throws RequeueAfter to come back later. */
  readonly sync: (object: KubeObject) => Promise<void>
  readonly onError: (key: string, error: unknown) => void
  /**
   * The status that the controller last wrote of each object: `sync` gets it as the status, and another one is reverted.
   * Without it every change of a status is looked at.
   */
  readonly reports?: StatusReports
}

/**
 * The frame of a workload controller. An object is reconciled when it or an object that it owns changes. It is also reconciled when a time
 * comes that it waits for. After a refusal it is reconciled when a quota of its namespace gains room. Level-triggered: `sync` decides from
 * the stored objects, whatever the reason is.
 */
export class ControllerLoop {
  readonly #options: LoopOptions
  readonly #queue: WorkQueue
  readonly #alarms: WallAlarms
  readonly #watches: WatchHandle[]
  /** Keys that were refused, by namespace, and how often in a row. */
  readonly #refused = new Map<string, Map<string, number>>()

  constructor(options: LoopOptions) {
    const { port, bucket, owns } = options
    const { store, serverContext, clockSteps } = port
    this.#options = options
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), onError: options.onError, workers: 8 })
    this.#alarms = new WallAlarms({
      now: serverContext.now,
      steps: clockSteps,
      onDue: (key) => this.#queue.add(key),
    })
    this.#watches = [
      store.watch({ bucket }, (event) => {
        if (!this.#isOwnReport(event)) this.#queue.add(event.record.key)
      }),
      ...owns.map((owned) =>
        store.watch({ bucket: owned }, ({ record, previous }) => {
          this.#addOwner(record.object)
          if (previous !== undefined) this.#addOwner(previous.object)
        }),
      ),
      store.watch({ bucket: QUOTAS }, (event) => this.#onQuota(event)),
    ]
    for (const { key } of store.latestIn(bucket, undefined)) this.#queue.add(key)
  }

  add(key: string): void {
    this.#queue.add(key)
  }

  /** Looks at the object again at a time of the clock, in milliseconds since the epoch, also when the clock is set meanwhile. */
  addAt(key: string, at: number): void {
    this.#alarms.set(key, at)
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    this.#alarms.stop()
    await this.#queue.stop()
  }

  #addOwner(object: KubeObject): void {
    const owner = controllerOf(object)
    if (owner?.kind === this.#options.kind) this.#queue.add(`${object.metadata.namespace ?? ''}/${owner.name}`)
  }

  #onQuota(event: StoreEvent): void {
    const waiting = this.#refused.get(event.record.object.metadata.namespace ?? '')
    if (waiting !== undefined && freesQuota(event)) for (const key of waiting.keys()) this.#queue.add(key)
  }

  async #work(key: string): Promise<void> {
    const { port, bucket, sync, reports } = this.#options
    const namespace = key.slice(0, key.indexOf('/'))
    const object = port.store.latest(bucket, key)?.object
    try {
      if (object !== undefined) await sync(reports?.restored(object) ?? object)
      this.#forgetRefusals(namespace, key)
    } catch (error) {
      if (!(error instanceof RequeueAfter)) throw error
      const waiting = this.#refused.get(namespace) ?? new Map<string, number>()
      const times = waiting.get(key) ?? 0
      this.#refused.set(namespace, waiting.set(key, times + 1))
      this.#queue.addAfter(key, Math.min(RETRY_MS.first * 2 ** times, RETRY_MS.last))
    }
  }

  #isOwnReport(event: StoreEvent): boolean {
    const { reports } = this.#options
    const { object } = event.record
    if (event.type === 'deleted') reports?.forget(object)
    return reports?.isOwn(object) === true && isReport(event)
  }

  #forgetRefusals(namespace: string, key: string): void {
    const waiting = this.#refused.get(namespace)
    waiting?.delete(key)
    if (waiting?.size === 0) this.#refused.delete(namespace)
  }
}

/** Did only the status change? */
function isReport({ record: { object }, previous }: StoreEvent): boolean {
  if (previous === undefined) return false
  const { metadata: now } = object
  const { metadata: before } = previous.object
  return (
    now.deletionTimestamp === before.deletionTimestamp &&
    now.generation === before.generation &&
    jsonEqual(now.annotations, before.annotations) &&
    jsonEqual(now.ownerReferences, before.ownerReferences) &&
    jsonEqual(objectOf(object.spec), objectOf(previous.object.spec))
  )
}

/** Reports whether a request that a quota refused may fit now: the quota is gone, a limit has risen or some usage has fallen. */
function freesQuota({ type, record, previous }: StoreEvent): boolean {
  if (type === 'deleted') return true
  if (previous === undefined) return false
  const before = (previous.object as ResourceQuota).status ?? {}
  const after = (record.object as ResourceQuota).status ?? {}
  return falls(before.used, after.used) || falls(after.hard, before.hard)
}

/** Is some amount of the second list below that of the first, or gone? */
function falls(first: ResourceQuotaAmounts, second: ResourceQuotaAmounts): boolean {
  if (first === undefined || first === second) return false
  const amounts = parseResourceList(second ?? {})
  return Object.entries(parseResourceList(first)).some(([name, amount]) => {
    const other = quantityOf(amounts, name)
    return other === undefined || other.cmp(amount) < 0
  })
}

type ResourceQuotaAmounts = Readonly<Record<string, string>> | undefined
