import type { KubeObject } from '../../../machinery/object.ts'
import { ApiError, failure, hasCause, isAlreadyExists, isConflict, isNotFound } from '../../../machinery/status.ts'
import { systemCaller } from '../../../machinery/caller.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { StatusReports } from './status-reports.ts'

/** The name under which the fields that controllers set are owned, as those of a cluster's controllers are. */
const MANAGER = 'kube-controller-manager'

/** The reads and writes of a controller, as its own service account of kube-system, through all of admission. */
export class ControllerClient {
  readonly #port: WorkloadPort
  readonly #controller: string
  readonly #component: string
  readonly #unhooked: boolean
  /** The statuses that the controller last wrote. */
  readonly reports = new StatusReports()

  /** `controller` is the account, such as `replicaset-controller`; `component` is the source of its Events. */
  constructor(port: WorkloadPort, controller: string, component = controller, { unhooked = false } = {}) {
    this.#port = port
    this.#controller = controller
    this.#component = component
    this.#unhooked = unhooked
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#port.serverContext.now()
  }

  random(): number {
    return this.#port.serverContext.random()
  }

  get(bucket: string, key: string): KubeObject | undefined {
    return this.#port.store.latest(bucket, key)?.object
  }

  *list(bucket: string, namespace?: string): Iterable<KubeObject> {
    for (const { object } of this.#port.store.latestIn(bucket, namespace)) yield object
  }

  /** Throws what a request would be refused with. */
  async create(bucket: string, namespace: string, object: KubeObject): Promise<KubeObject> {
    const request = this.#request(bucket, namespace, object.metadata.name ?? '')
    const { defaults } = request.resource.strategy
    return (await this.#port.operations.create(request, defaults?.(object) ?? object)).object
  }

  /** As `create`; gives what is there already where the name exists. */
  async ensure(bucket: string, namespace: string, object: KubeObject): Promise<KubeObject | undefined> {
    try {
      return await this.create(bucket, namespace, object)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return this.get(bucket, `${namespace}/${object.metadata.name ?? ''}`)
    }
  }

  /** Changes the newest state of an object, unless it is gone or another of the same name has taken its place. */
  async update(
    bucket: string,
    { metadata }: KubeObject,
    change: (current: KubeObject) => KubeObject,
    subresource = '',
  ): Promise<void> {
    const { namespace = '', name = '', uid } = metadata
    try {
      await this.#port.operations.update(
        { ...this.#request(bucket, namespace, name), subresource },
        (current) => (current.metadata.uid === uid ? change(current) : current),
        { wholeObject: false },
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /**
   * Reports the status of an object that only this controller reports. `change` makes it from the newest state with the status that was
   * reported last. Nothing is written where that changes nothing.
   */
  async report(bucket: string, of: KubeObject, change: (current: KubeObject) => object): Promise<void> {
    let isStored = false
    try {
      await this.updateStatus(bucket, of, (current) => {
        const status = change(this.reports.restored(current))
        this.reports.begin(of, status)
        return status
      })
      isStored = true
    } finally {
      this.reports.end(of, isStored)
    }
  }

  /** Replaces the status by what `change` makes of the newest object; nothing is written where that changes nothing. */
  async updateStatus(bucket: string, of: KubeObject, change: (current: KubeObject) => object): Promise<void> {
    await this.update(bucket, of, (current) => ({ ...current, status: change(current) }), 'status')
  }

  async remove(
    bucket: string,
    { metadata }: KubeObject,
    options: { readonly gracePeriodSeconds?: number } = {},
  ): Promise<void> {
    const { namespace = '', name = '', uid } = metadata
    try {
      await this.#port.operations.remove(this.#request(bucket, namespace, name), {
        propagationPolicy: 'Background',
        ...(uid === undefined ? {} : { uid }),
        ...options,
      })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  async event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    try {
      await this.#port.events.record(about, { type, reason, message, component: this.#component })
    } catch (error) {
      // Nobody waits for an Event: in a namespace that goes, or under a quota on Events, there is none.
      if (!(error instanceof ApiError)) throw error
    }
  }

  #request(bucket: string, namespace: string, name: string): ObjectRequest {
    const resource = this.#port.registry.ofBucket(bucket)
    if (resource === undefined) throw failure(404, 'NotFound', `${bucket} are not served`)
    const caller = systemCaller(this.#controller)
    return {
      resource,
      namespace,
      name,
      subresource: '',
      caller,
      dryRun: false,
      manager: MANAGER,
      unhooked: this.#unhooked,
    }
  }
}

/** Is it a refusal that nothing can be done about, because the namespace is going? */
export const isNamespaceGoing = (error: unknown): boolean => hasCause(error, 'NamespaceTerminating')
