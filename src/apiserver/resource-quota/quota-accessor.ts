import type { Budget, BudgetRule } from '../../charges/budget.ts'
import type { BudgetChange } from '../../charges/decide-batch.ts'
import { concernedNames } from '../../systems/resource-quota/decide/concerned-names.ts'
import type { Attributes, Evaluator, Measuring } from '../../charges/evaluator.ts'
import type { Lookup } from '../../charges/lookup.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import { countingRule } from '../../systems/resource-quota/decide/quota-rule.ts'
import { recount } from '../../systems/resource-quota/decide/count/recount.ts'
import { SharedCount } from '../../systems/resource-quota/decide/count/shared-count.ts'
import { isTooLarge } from '../../kinds/resource-quota/quota-size.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Type } from '../../schema/type/type.ts'
import { formatResourceList, type ResourceList } from '../../quantity/resource-list.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { Put } from '../../store/record/write.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { EvaluatorTable } from '../../charges/evaluators/table.ts'
import { UsageClock } from './usage-clock.ts'
import { type StatusManager, withStatusOf } from './status-managers.ts'

const BUCKET = 'resourcequotas'

/** The quotas of a namespace as they are decided on, and those of them whose counted status is not stored yet. */
export interface NamespaceQuotas {
  readonly budgets: readonly Budget[]
  /** Quotas that had no status: the one they were given, by name. */
  readonly unwritten: ReadonlyMap<string, ResourceQuota>
  /** Quotas whose status is too large to be stored: they are counted each time for what a request uses. */
  readonly unstorable: ReadonlySet<string>
}

/** The result of a count. */
interface Counts {
  readonly changed: readonly { readonly record: StoredRecord; readonly quota: ResourceQuota }[]
  readonly errors: readonly string[]
}

/** A request and how its object is charged. */
interface Charged {
  readonly evaluator: Evaluator
  readonly attributes: Attributes
}

/** Reads and writes the quotas of namespaces, always on the newest accepted state of the store. */
export class QuotaAccessor {
  readonly #store: StoredObjects
  readonly #type: Type
  readonly #now: () => number
  readonly #serves: (resource: GroupResource) => boolean
  readonly #lookup: Lookup
  readonly #evaluators: EvaluatorTable
  readonly #foreign = new Set<string>()
  readonly #clock = new UsageClock()
  /** Parsed quotas live as long as the records they were read from. */
  readonly #budgets = new WeakMap<StoredRecord, Budget>()
  readonly #rules = new WeakMap<StoredRecord, BudgetRule>()

  constructor(options: {
    readonly store: StoredObjects
    /** The type of quotas. */
    readonly type: Type
    readonly now: () => number
    readonly serves: (resource: GroupResource) => boolean
    /** Measures objects. */
    readonly evaluators: EvaluatorTable
  }) {
    this.#store = options.store
    this.#type = options.type
    this.#now = options.now
    this.#serves = options.serves
    this.#evaluators = options.evaluators
    this.#lookup = lookupIn(options.store)
  }

  /**
   * Somebody else wrote the status of a quota here. It stands until something else is written in the namespace, or for a second, in which
   * its writer sees it.
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

  /**
   * Counts these quotas of a namespace, as of the time at which the others were counted; all of them, as of now, where time alone or
   * somebody else has changed what is used. Gives those that have changed, and what could not be counted.
   */
  recountSome(namespace: string, names: ReadonlySet<string>): Counts {
    const isTimely = this.#clock.at(namespace) !== undefined && !this.hasExpired(namespace)
    if (!isTimely || this.hasForeignStatus(namespace)) return this.recountAll(namespace)
    return this.#count([...names].flatMap((name) => this.#store.latest(BUCKET, `${namespace}/${name}`) ?? []))
  }

  /** Counts the quotas of a namespace as of now. Gives those that have changed, and what could not be counted. */
  recountAll(namespace: string): Counts {
    const records = this.records(namespace)
    if (records.length === 0) {
      this.#clock.forget(namespace)
      return { changed: [], errors: [] }
    }
    this.#clock.set(namespace, this.#now(), this.#expiries(namespace))
    return this.#count(records)
  }

  #count(records: readonly StoredRecord[]): Counts {
    const shared = new SharedCount()
    const storable = records.filter((record) => !isUnstorable(record))
    const counts = storable.map((record) => ({ record, ...this.#recounted(record.object as ResourceQuota, shared) }))
    const unstorable = records
      .filter(isUnstorable)
      .map(({ key }) => `the status of ${key} is too large to be stored: spread its limits over several quotas`)
    return {
      changed: counts.filter(({ changed }) => changed),
      errors: [...counts.flatMap(({ errors }) => errors), ...unstorable],
    }
  }

  *#expiries(namespace: string): Iterable<number> {
    for (const evaluator of this.#evaluators.entries) {
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

  /**
   * A quota that has no status yet, and limits something of these requests, is counted now, so that there is no moment in which
   * it does not hold. One that limits nothing of them is left to the controller.
   */
  quotasFor(namespace: string, requests: readonly Charged[]): NamespaceQuotas {
    const unwritten = new Map<string, ResourceQuota>()
    const unstorable = new Set<string>()
    const budgets = this.records(namespace).map((record) => {
      const quota = record.object as ResourceQuota
      if (hasStatus(quota)) return this.#budgetOf(record)
      const names = this.#concerned(record, requests)
      if (names.size === 0) return this.#budgetOf(record)
      const { name = '' } = quota.metadata
      if (isUnstorable(record)) {
        unstorable.add(name)
        return quotaBudget(this.#recounted(narrowed(quota, names)).quota, this.#evaluators)
      }
      const counted = this.#recounted(quota).quota
      unwritten.set(name, counted)
      return quotaBudget(counted, this.#evaluators)
    })
    return { budgets, unwritten, unstorable }
  }

  #concerned(record: StoredRecord, requests: readonly Charged[]): ReadonlySet<string> {
    const namespace = record.object.metadata.namespace ?? ''
    const rule = this.#rules.get(record) ?? countingRule(record.object as ResourceQuota, this.#evaluators)
    this.#rules.set(record, rule)
    const measuring = this.measuring(namespace)
    return new Set(
      requests.flatMap(({ evaluator, attributes }) => concernedNames(rule, evaluator, attributes, measuring)),
    )
  }

  /** The writes that charge `changed`, and store what `quotasFor` counted. */
  charges(
    namespace: string,
    changed: readonly BudgetChange[],
    { unwritten, unstorable }: Pick<NamespaceQuotas, 'unwritten' | 'unstorable'>,
  ): readonly Put[] {
    const stored = changed.filter(({ budget }) => !unstorable.has(budget.ref.name))
    const used = new Map<string, ResourceList>(stored.map((change) => [change.budget.ref.name, change.used]))
    const names = new Set([...unwritten.keys(), ...used.keys()])
    return [...names].map((name) => {
      const quota = unwritten.get(name) ?? (this.#store.latest(BUCKET, `${namespace}/${name}`)?.object as ResourceQuota)
      const charged = used.get(name)
      const status = charged === undefined ? quota.status : { ...quota.status, used: formatResourceList(charged) }
      return putOf(charged === undefined ? quota : this.#written(quota, status, 'kube-apiserver'))
    })
  }

  /** The quota with its usage counted anew from all objects, and whether that changes its status. */
  #recounted(
    quota: ResourceQuota,
    shared?: SharedCount,
  ): {
    readonly quota: ResourceQuota
    readonly changed: boolean
    readonly errors: readonly string[]
  } {
    const namespace = quota.metadata.namespace ?? ''
    const { status, changed, errors } = recount({
      quota,
      evaluators: this.#evaluators,
      objectsOf: (resource) =>
        this.#serves(resource) ? objects(this.#store.latestIn(qualified(resource), namespace)) : undefined,
      ...this.measuring(namespace),
      ...(shared === undefined ? {} : { shared }),
    })
    return { quota: changed ? this.#written(quota, status, 'kube-controller-manager') : quota, changed, errors }
  }

  #written(quota: ResourceQuota, status: ResourceQuota['status'], manager: StatusManager): ResourceQuota {
    return withStatusOf(this.#type, quota, status, manager, timestamp(this.#now()))
  }

  #budgetOf(record: StoredRecord): Budget {
    const known = this.#budgets.get(record)
    if (known !== undefined) return known
    const budget = quotaBudget(record.object as ResourceQuota, this.#evaluators)
    this.#budgets.set(record, budget)
    return budget
  }
}

const hasStatus = ({ status }: ResourceQuota): boolean => status?.hard !== undefined && status.used !== undefined

/** Has the quota no status, and cannot have one? Quotas that are new are refused for that. */
const isUnstorable = ({ object }: StoredRecord): boolean =>
  !hasStatus(object as ResourceQuota) && isTooLarge(object as ResourceQuota)

/** The quota with these limits only. */
function narrowed({ status: _status, ...quota }: ResourceQuota, names: ReadonlySet<string>): ResourceQuota {
  const hard = Object.fromEntries(
    [...names].flatMap((name) => {
      const limit = quota.spec?.hard?.[name]
      return limit === undefined ? [] : [[name, limit]]
    }),
  )
  const { managedFields: _entries, ...metadata } = quota.metadata
  return { ...quota, metadata, spec: { ...quota.spec, hard } }
}

/** The write that stores a quota's new status. */
export function putOf(quota: ResourceQuota): Put {
  return { type: 'put', bucket: BUCKET, key: `${quota.metadata.namespace}/${quota.metadata.name}`, object: quota }
}

function lookupIn(store: StoredObjects): Lookup {
  return {
    find: (of, namespace, name) =>
      store.latest(qualified(of), namespace === '' ? name : `${namespace}/${name}`)?.object,
    list: (of, namespace) => objects(store.latestIn(qualified(of), namespace)),
  }
}

function* objects(records: Iterable<StoredRecord>): Iterable<KubeObject> {
  for (const { object } of records) yield object
}
