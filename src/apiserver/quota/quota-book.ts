import type { QuotaChange } from '../../charges/batch.ts'
import type { Measuring } from '../../charges/evaluator.ts'
import type { Lookup } from '../../charges/lookup.ts'
import { type QuotaState, quotaState } from '../../charges/quota-state.ts'
import { recount } from '../../charges/recount.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Type } from '../../machinery/schema/type.ts'
import { formatResourceList, type ResourceList } from '../../quantity/resource-list.ts'
import type { StoredRecord } from '../../store/record.ts'
import type { Store } from '../../store/store.ts'
import type { Put } from '../../store/write.ts'
import { timestamp } from '../../runtime/timestamp.ts'
import { EVALUATORS } from '../../charges/evaluator-table.ts'
import { UsageClock } from './usage-clock.ts'
import { type StatusManager, withStatusOf } from './status-managers.ts'

const BUCKET = 'resourcequotas'

/** The quotas of a namespace as they are decided on, and those of them whose counted status is not stored yet. */
export interface OpenBook {
  readonly quotas: readonly QuotaState[]
  /** Quotas that had no status: the one they were given, by name. */
  readonly unwritten: ReadonlyMap<string, ResourceQuota>
}

/** Reads and writes the quotas of namespaces, always on the newest accepted state of the store. */
export class QuotaBook {
  readonly #store: Store
  readonly #type: Type
  readonly #now: () => number
  readonly #serves: (resource: GroupResource) => boolean
  readonly #lookup: Lookup
  /** Parsed quotas live as long as the records they were read from. */
  readonly #foreign = new Set<string>()
  readonly #clock = new UsageClock()
  readonly #states = new WeakMap<StoredRecord, QuotaState>()

  constructor(options: {
    readonly store: Store
    /** The type of quotas. */
    readonly type: Type
    readonly now: () => number
    readonly serves: (resource: GroupResource) => boolean
  }) {
    this.#store = options.store
    this.#type = options.type
    this.#now = options.now
    this.#serves = options.serves
    this.#lookup = lookupIn(options.store)
  }

  /**
   * Somebody else wrote the status of a quota here. As in Kubernetes it stands until something else is written in the namespace,
   * or the regular count comes by.
   */
  noteForeignStatus(namespace: string): void {
    this.#foreign.add(namespace)
  }

  /** Has somebody else written the status of a quota here since the last count? */
  hasForeignStatus(namespace: string): boolean {
    return this.#foreign.has(namespace)
  }

  /** The quotas of the namespace are being counted. */
  forgetForeignStatus(namespace: string): void {
    this.#foreign.delete(namespace)
  }

  /** Objects are measured on the newest accepted state, as of the time at which the namespace is counted. */
  measuring(namespace: string): Measuring {
    return { now: this.#clock.at(namespace) ?? this.#now(), lookup: this.#lookup }
  }

  /** Has time alone changed what is used in the namespace since it was counted? */
  hasExpired(namespace: string): boolean {
    return this.#clock.moves(namespace, this.#now())
  }

  /** The namespaces in which time alone has changed what is used. */
  expired(): readonly string[] {
    return this.#clock.moved(this.#now())
  }

  /** When time alone will change what is used in the namespace next: the last moment at which it does not. */
  nextExpiry(namespace: string): number | undefined {
    return this.#clock.next(namespace)
  }

  /** The object is handed to the store: from its expiry on the namespace has to be counted anew. */
  noteExpiry(namespace: string, expiry: number | undefined): void {
    if (expiry !== undefined) this.#clock.note(namespace, expiry)
  }

  /** The namespace has no quotas any more, or its count could not be stored. */
  forgetTime(namespace: string): void {
    this.#clock.forget(namespace)
  }

  /** Counts the quotas of a namespace as of now. Gives those that have changed, and what could not be counted. */
  recountAll(namespace: string): {
    readonly changed: readonly { readonly record: StoredRecord; readonly quota: ResourceQuota }[]
    readonly errors: readonly string[]
  } {
    const records = this.records(namespace)
    if (records.length === 0) {
      this.#clock.forget(namespace)
      return { changed: [], errors: [] }
    }
    this.#clock.set(namespace, this.#now(), this.#expiries(namespace))
    const counts = records.map((record) => ({ record, ...this.#recounted(record) }))
    return { changed: counts.filter(({ changed }) => changed), errors: counts.flatMap(({ errors }) => errors) }
  }

  *#expiries(namespace: string): Iterable<number> {
    for (const evaluator of EVALUATORS.values()) {
      const { expiry } = evaluator
      if (expiry === undefined) continue
      for (const { object } of this.#store.latestIn(qualified(evaluator), namespace)) {
        const at = expiry(object)
        if (at !== undefined) yield at
      }
    }
  }

  /** Has the namespace any quota? */
  has(namespace: string): boolean {
    for (const _record of this.#store.latestIn(BUCKET, namespace)) return true
    return false
  }

  records(namespace: string): readonly StoredRecord[] {
    return [...this.#store.latestIn(BUCKET, namespace)]
  }

  /** A quota that has no status yet is counted now, so that there is no moment in which it does not hold. */
  open(namespace: string): OpenBook {
    const unwritten = new Map<string, ResourceQuota>()
    const quotas = this.records(namespace).map((record) => {
      const quota = record.object as ResourceQuota
      if (quota.status?.hard !== undefined && quota.status.used !== undefined) return this.#stateOf(record)
      const counted = this.#recounted(record).quota
      unwritten.set(counted.metadata.name ?? '', counted)
      return quotaState(counted)
    })
    return { quotas, unwritten }
  }

  /** The writes that charge `changed`, and store what `open` counted. */
  close(
    namespace: string,
    changed: readonly QuotaChange[],
    unwritten: ReadonlyMap<string, ResourceQuota>,
  ): readonly Put[] {
    const used = new Map<string, ResourceList>(changed.map((change) => [change.quota.name, change.used]))
    const names = new Set([...unwritten.keys(), ...used.keys()])
    return [...names].map((name) => {
      const quota = unwritten.get(name) ?? (this.#store.latest(BUCKET, `${namespace}/${name}`)?.object as ResourceQuota)
      const charged = used.get(name)
      const status = charged === undefined ? quota.status : { ...quota.status, used: formatResourceList(charged) }
      return putOf(charged === undefined ? quota : this.#written(quota, status, 'kube-apiserver'))
    })
  }

  /** The quota with its usage counted anew from all objects, and whether that changes its status. */
  #recounted(record: StoredRecord): {
    readonly quota: ResourceQuota
    readonly changed: boolean
    readonly errors: readonly string[]
  } {
    const quota = record.object as ResourceQuota
    const namespace = quota.metadata.namespace ?? ''
    const { status, changed, errors } = recount({
      quota,
      objectsOf: (resource) =>
        this.#serves(resource) ? objects(this.#store.latestIn(qualified(resource), namespace)) : undefined,
      ...this.measuring(namespace),
    })
    return { quota: changed ? this.#written(quota, status, 'kube-controller-manager') : quota, changed, errors }
  }

  #written(quota: ResourceQuota, status: ResourceQuota['status'], manager: StatusManager): ResourceQuota {
    return withStatusOf(this.#type, quota, status, manager, timestamp(this.#now()))
  }

  #stateOf(record: StoredRecord): QuotaState {
    const known = this.#states.get(record)
    if (known !== undefined) return known
    const state = quotaState(record.object as ResourceQuota)
    this.#states.set(record, state)
    return state
  }
}

/** The write that stores a quota's new status. */
export function putOf(quota: ResourceQuota): Put {
  return { type: 'put', bucket: BUCKET, key: `${quota.metadata.namespace}/${quota.metadata.name}`, object: quota }
}

function lookupIn(store: Store): Lookup {
  return {
    find: (of, namespace, name) =>
      store.latest(qualified(of), namespace === '' ? name : `${namespace}/${name}`)?.object,
    list: (of, namespace) => objects(store.latestIn(qualified(of), namespace)),
  }
}

function* objects(records: Iterable<StoredRecord>): Iterable<KubeObject> {
  for (const { object } of records) yield object
}
