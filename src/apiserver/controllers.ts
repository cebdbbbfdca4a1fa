import { QUOTA_EVALUATORS } from '../charges/evaluators/table.ts'
import { afterRunning } from '../runtime/time/running-time.ts'
import { whenAborted } from '../runtime/tasks/when-aborted.ts'
import { ObjectIndexes } from './storing/object-indexes.ts'
import type { StoredObjects } from './storing/stored-objects.ts'
import type { StoreWriter } from './storing/store-writer.ts'
import { ensureBootstrapPolicy } from './controller/bootstrap-policy.ts'
import { CustomResources } from './controller/crd-controller.ts'
import { EventExpiry } from './controller/event-expiry.ts'
import { GarbageCollector } from './controller/garbage-collector.ts'
import { NamespaceController } from './controller/namespace-controller.ts'
import { RoleAggregation } from './controller/role-aggregation.ts'
import { publishServer } from './controller/server-endpoints.ts'
import { StorageProtection } from './controller/storage-protection.ts'
import { WorkQueue } from '../runtime/tasks/work-queue.ts'
import { ensureServerService, ensureSystemObjects } from './controller/system-objects.ts'
import type { EventWriter } from './event/writer.ts'
import type { ObjectOperations } from './operation/object-operations.ts'
import type { RunningWorkloads, StartWorkloads } from './port/workload-port.ts'
import type { QuotaAccessor } from './resource-quota/quota-accessor.ts'
import { type Drift, ResourceQuotaController } from './resource-quota/controller.ts'
import type { Registry } from './resource/registry.ts'
import type { ClockSteps } from '../runtime/time/clock-steps.ts'
import type { ServerContext } from './resource/server-context.ts'
import type { OpenWatches } from './storing/open-watches.ts'

export interface ControllersOptions {
  readonly store: StoredObjects
  readonly writer: StoreWriter
  readonly registry: Registry
  readonly operations: ObjectOperations
  readonly events: EventWriter
  readonly watches: OpenWatches
  readonly serverContext: ServerContext
  /** The steps of the clock of `serverContext`. */
  readonly clockSteps: ClockSteps
  readonly accessor: QuotaAccessor
  /** PEM; published in every namespace. */
  readonly caCertificate: string
  /** How long an Event lives after it was last written. */
  readonly eventLifeSeconds: number
  /** Reports that a controller failed on the object with a key, and will try again. */
  readonly onError: (controller: string) => (key: string, error: unknown) => void
  /** Reports each usage that the regular check had to correct. */
  readonly onDrift: (drift: Drift) => void
}

export interface StartOptions {
  /** Host and port under which clients reach the server; `''` for none. */
  readonly serverAddress: string
  readonly workloads: StartWorkloads | undefined
  /** Ends a start early: what still waits is not waited for. */
  readonly stop: AbortSignal | undefined
  /** May webhooks refuse the writes of controllers? */
  readonly hasWebhooks: () => boolean
  /** Reports the controllers that webhooks still keep from writing when the start goes on. */
  readonly onBehind: (controllers: readonly string[]) => void
}

/** How long a start waits for controllers whose writes webhooks may refuse; then they go on in the background. */
const CATCH_UP_MS = 5_000
/** The key of the server's own Service. */
const SERVICE = 'default/kubernetes'

/** The controllers that a cluster cannot do without, and those of workloads where they are wanted. */
export class Controllers {
  readonly #options: ControllersOptions
  /** The objects of the server, as most controllers read and write them. */
  readonly #objects: Pick<ControllersOptions, 'store' | 'registry' | 'operations'>
  readonly #custom: CustomResources
  readonly #quotas: ResourceQuotaController
  readonly #aggregation: RoleAggregation
  readonly #namespaces: NamespaceController
  readonly #protection: StorageProtection
  readonly #collector: GarbageCollector
  readonly #expiry: EventExpiry
  readonly #indexes: ObjectIndexes
  readonly #service: WorkQueue
  /** Host and port; empty where they are not published. */
  #serverAddress = ''
  #workloads: RunningWorkloads | undefined

  constructor(options: ControllersOptions) {
    const { store, writer, registry, operations, events, watches, serverContext, clockSteps, accessor, onError } =
      options
    const { now } = serverContext
    const objects = { store, registry, operations }
    this.#options = options
    this.#objects = objects
    this.#indexes = new ObjectIndexes(store)
    // CRDs come first: their kinds must be known before namespaces are cleared and quotas are counted.
    this.#custom = new CustomResources({
      ...objects,
      watches,
      serverContext,
      onChange: () => this.#follow(),
      onError: onError('custom resources'),
    })
    this.#quotas = new ResourceQuotaController({
      store,
      writer,
      registry,
      accessor,
      evaluators: QUOTA_EVALUATORS,
      now,
      clockSteps,
      onError: onError('resourcequota'),
      onDrift: options.onDrift,
    })
    this.#aggregation = new RoleAggregation({
      ...objects,
      onError: onError('clusterrole-aggregation'),
    })
    this.#namespaces = new NamespaceController({
      ...objects,
      serverContext,
      caCertificate: options.caCertificate,
      onError: onError('namespace'),
    })
    this.#service = new WorkQueue({ work: () => this.#publishService(), onError: onError('kubernetes service') })
    this.#protection = new StorageProtection({
      ...objects,
      indexes: this.#indexes,
      onError: onError('storage protection'),
    })
    this.#collector = new GarbageCollector({
      ...objects,
      events,
      onError: onError('garbage collector'),
    })
    this.#expiry = new EventExpiry({
      store,
      clock: { now, monotonic: () => performance.now() },
      expire: async (record) => {
        const resource = registry.ofBucket(record.bucket)
        if (resource !== undefined) await operations.expire(resource, record)
      },
      seconds: options.eventLifeSeconds,
      onError: onError('events'),
    })
  }

  /**
   * Resolves when system namespaces exist and are furnished, and quotas are counted. Objects that webhooks reject are
   * written later.
   */
  async start({ serverAddress, workloads, stop, hasWebhooks, onBehind }: StartOptions): Promise<void> {
    const { events, serverContext, clockSteps, onError } = this.#options
    const aborted = stop === undefined ? [] : [whenAborted(stop)]
    await ensureSystemObjects(this.#objects)
    this.#serverAddress = serverAddress
    this.#service.add(SERVICE)
    await this.#service.whenIdle()
    await ensureBootstrapPolicy(this.#objects)
    const behind = await this.#caughtUp(aborted, hasWebhooks)
    if (behind.length > 0 && stop?.aborted !== true) onBehind(behind)
    await Promise.race([this.#quotas.whenIdle(), ...aborted])
    this.#workloads = await workloads?.({
      ...this.#objects,
      indexes: this.#indexes,
      events,
      serverContext,
      clockSteps,
      onError,
    })
  }

  /** Has the quotas of a namespace counted anew at once. */
  recount(namespace: string): void {
    this.#quotas.recount(namespace)
  }

  /** Has the quotas of a namespace counted anew when the writer of a status has had time to see it. */
  recountSoon(namespace: string): void {
    this.#quotas.recountSoon(namespace)
  }

  /** Publishes another certificate (PEM) of the server's authority in every namespace. */
  publish(caCertificate: string): void {
    this.#namespaces.publish(caCertificate)
  }

  async stop(): Promise<void> {
    await Promise.all([
      this.#custom.stop(),
      this.#aggregation.stop(),
      this.#namespaces.stop(),
      this.#quotas.stop(),
      this.#collector.stop(),
      this.#expiry.stop(),
      this.#protection.stop(),
      this.#service.stop(),
      this.#workloads?.stop(),
    ])
    this.#indexes.stop()
  }

  /**
   * Publishes the server as a Service. A quota in its namespace may leave no room for that, which must not keep the server from starting, since nobody
   * could raise the quota then: it is tried again.
   */
  async #publishService(): Promise<void> {
    await ensureServerService(this.#objects)
    if (this.#serverAddress !== '') await publishServer(this.#objects, this.#serverAddress)
  }

  /** Other kinds are served than before. */
  #follow(): void {
    this.#quotas.follow()
    this.#collector.follow()
  }

  /** Waits for controllers; where there are webhooks, which need not answer, only for a while. Gives those that have not caught up then. */
  async #caughtUp(aborted: readonly Promise<void>[], hasWebhooks: () => boolean): Promise<readonly string[]> {
    const controllers = { aggregation: this.#aggregation, namespaces: this.#namespaces }
    const working = new Set(Object.keys(controllers))
    const caughtUp = Promise.all(
      Object.entries(controllers).map(async ([name, controller]) => {
        await controller.whenIdle()
        working.delete(name)
      }),
    )
    let cancel = (): void => undefined
    const patience = new Promise<void>((resolve) => {
      if (hasWebhooks()) cancel = afterRunning(CATCH_UP_MS, resolve)
    })
    await Promise.race([caughtUp, patience, ...aborted])
    cancel()
    return [...working]
  }
}
