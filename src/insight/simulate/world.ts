import { resourceNamed } from '../explain/resource-named.ts'
import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { type Budget, withUsed } from '../../charges/budget.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import type { Lookup } from '../../charges/lookup.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import { recount } from '../../systems/resource-quota/decide/count/recount.ts'
import { SharedCount } from '../../systems/resource-quota/decide/count/shared-count.ts'
import type { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import { shiftUsage } from '../../charges/usage-shift.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { type ResourceList, formatResourceList, quantityOf } from '../../quantity/resource-list.ts'

export const NAMESPACES: GroupResource = { group: '', resource: 'namespaces' }
export const RESOURCE_QUOTAS: GroupResource = { group: '', resource: 'resourcequotas' }

/** Where an object is. */
export interface Place {
  readonly of: GroupResource
  readonly namespace: string
  readonly name: string
}

/** An object before all changes; undefined where there was none. */
export interface Changed extends Place {
  readonly before: KubeObject | undefined
  readonly after: KubeObject | undefined
}

/** Is told of every change of an object. */
export type OnChange = (place: Place, object: KubeObject | undefined, old: KubeObject | undefined) => void

export interface WorldOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Milliseconds since the epoch as RFC 3339, in whole seconds. */
  readonly timestamp: (ms: number) => string
  /** Resources whose objects could not be read, as `pods`: their usage stays as it is. */
  readonly unseen: ReadonlySet<string>
  /** Those of which some could not be read, in whatever namespace; default: `unseen`. */
  readonly partly?: ReadonlySet<string>
  /** What the API server offers: nothing else is counted. Default: all that quotas can count. */
  readonly offered?: OfferedResources | undefined
}

/** Names may have 63 characters in most kinds. */
const MOST_OF_GENERATED = 48

type Bucket = Map<string, Map<string, KubeObject>>

/**
 * The objects of a cluster while changes are tried on them. A write charges and counts as the API server does, and is noted. Nothing but
 * this object changes.
 */
export class World {
  now: number
  readonly timestamp: (ms: number) => string
  readonly unseen: ReadonlySet<string>
  readonly lookup: Lookup
  /** Namespaces in which room has become free, or the rules for new objects have changed. '': whatever was refused anywhere may fit now. */
  readonly freed = new Set<string>()
  readonly #partly: ReadonlySet<string>
  readonly #offered: OfferedResources | undefined
  readonly #buckets = new Map<string, Bucket>()
  readonly #dependents = new Map<string, Map<string, Place>>()
  /** By namespace and name; made when a namespace is first charged. */
  readonly #budgets = new Map<string, Map<string, Budget>>()
  /** Quotas whose usage has changed since they were last written out, by namespace. */
  readonly #stale = new Map<string, Set<string>>()
  readonly #uids = new Set<string>()
  readonly #counts = new Map<string, SharedCount>()
  readonly #before = new Map<string, Omit<Changed, 'after'>>()
  readonly #listeners: OnChange[] = []
  #version = 0
  #names = 0
  #isNoting = false

  constructor({ now, timestamp, unseen, partly = unseen, offered }: WorldOptions) {
    this.#partly = partly
    this.#offered = offered
    this.now = now
    this.timestamp = timestamp
    this.unseen = unseen
    this.lookup = {
      find: (of, namespace, name) => this.find(of, namespace, name),
      list: (of, namespace) => this.list(of, namespace),
    }
  }

  /** Could all objects of the resource be read? */
  isWhole(resource: string): boolean {
    return !this.#partly.has(resource)
  }

  onChange(listener: OnChange): void {
    this.#listeners.push(listener)
  }

  /** Takes an object as it is: of the state before all changes. */
  load(of: GroupResource, object: KubeObject): void {
    const { namespace = '', name = '', uid, resourceVersion } = object.metadata
    const metadata = {
      ...object.metadata,
      uid: uid ?? this.newId(),
      resourceVersion: resourceVersion ?? this.newId(),
    }
    this.#put(
      { of, namespace, name },
      uid === undefined || resourceVersion === undefined ? { ...object, metadata } : object,
    )
  }

  /** From now on changes are noted. */
  note(): void {
    this.#isNoting = true
  }

  /** What is not as it was, in the order in which it was first changed. */
  changes(): readonly Changed[] {
    return [...this.#before.values()].flatMap((one) => {
      const after = this.find(one.of, one.namespace, one.name)
      return one.before === after || jsonEqual(unversioned(one.before), unversioned(after)) ? [] : [{ ...one, after }]
    })
  }

  /** The object as it was before all changes. */
  before({ of, namespace, name }: Place): KubeObject | undefined {
    const known = this.#before.get(keyOf({ of, namespace, name }))
    return known === undefined ? this.find(of, namespace, name) : known.before
  }

  newId(): string {
    this.#version += 1
    return `simulated-${this.#version}`
  }

  /** The object with an invented name in place of the one that the API server would complete, the same in each run. */
  named(object: KubeObject): KubeObject {
    const { name = '', generateName = '' } = object.metadata
    if (name !== '' || generateName === '') return object
    this.#names += 1
    const base = generateName.slice(0, MOST_OF_GENERATED)
    return { ...object, metadata: { ...object.metadata, name: `${base}simulated${this.#names}` } }
  }

  find(of: GroupResource, namespace: string, name: string): KubeObject | undefined {
    if (isQuotas(of)) this.#writeOut(namespace)
    return this.#buckets.get(qualified(of))?.get(namespace)?.get(name)
  }

  list(of: GroupResource, namespace: string): readonly KubeObject[] {
    if (isQuotas(of)) this.#writeOut(namespace)
    return [...(this.#buckets.get(qualified(of))?.get(namespace)?.values() ?? [])]
  }

  all(of: GroupResource): readonly KubeObject[] {
    const bucket = this.#buckets.get(qualified(of))
    return bucket === undefined ? [] : [...bucket.keys()].flatMap((namespace) => this.list(of, namespace))
  }

  /** Is there an object with this uid? */
  has(uid: string): boolean {
    return this.#uids.has(uid)
  }

  /** The objects that an object owns. */
  ownedBy(uid: string): readonly Place[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])]
  }

  /** The namespaces that objects are in. */
  namespaces(): ReadonlySet<string> {
    return new Set([...this.#buckets.values()].flatMap((bucket) => [...bucket.keys()]))
  }

  /** The resources of which a namespace has objects. */
  resourcesIn(namespace: string): readonly string[] {
    return [...this.#buckets].flatMap(([id, bucket]) => ((bucket.get(namespace)?.size ?? 0) > 0 ? [id] : []))
  }

  /** The resources that there are objects of. */
  resources(): readonly GroupResource[] {
    return [...this.#buckets.keys()].map(resourceNamed)
  }

  /** Sorted by name, as the API server has them. */
  budgetsIn(namespace: string): readonly Budget[] {
    return [...this.#budgetsOf(namespace).values()].toSorted((a, b) => (a.ref.name < b.ref.name ? -1 : 1))
  }

  /** Stores an object in place of the one of its name, and charges it. A quota is counted anew. */
  write(of: GroupResource, object: KubeObject): KubeObject {
    const { namespace = '', name = '', uid, creationTimestamp } = object.metadata
    const place = { of, namespace, name }
    const old = this.find(of, namespace, name)
    this.#noteBefore(place, () => old)
    const stored: KubeObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: uid ?? this.newId(),
        creationTimestamp: creationTimestamp ?? this.timestamp(this.now),
        resourceVersion: this.newId(),
      },
    }
    const written = isQuotas(of) && isResourceQuota(stored) ? this.#counted(stored, old) : stored
    this.#put(place, written)
    if (isQuotas(of)) this.#quotaChanged(place, written, old)
    this.#charge(place, written, old)
    this.#tell(place, written, old)
    return written
  }

  remove({ of, namespace, name }: Place): void {
    const place = { of, namespace, name }
    const old = this.find(of, namespace, name)
    if (old === undefined) return
    this.#noteBefore(place, () => old)
    this.#buckets.get(qualified(of))?.get(namespace)?.delete(name)
    this.#uids.delete(old.metadata.uid ?? '')
    for (const { uid } of old.metadata.ownerReferences ?? []) this.#dependents.get(uid)?.delete(keyOf(place))
    if (isQuotas(of)) {
      this.#budgets.get(namespace)?.delete(name)
      this.freed.add(namespace)
    }
    this.#charge(place, undefined, old)
    this.#tell(place, undefined, old)
  }

  /** Counts the quotas of all namespaces that have not been counted yet, as those of files. */
  countAll(): void {
    for (const quota of this.all(RESOURCE_QUOTAS)) {
      if (!isResourceQuota(quota) || (quota.status?.hard !== undefined && quota.status.used !== undefined)) continue
      const { namespace = '', name = '' } = quota.metadata
      this.#put({ of: RESOURCE_QUOTAS, namespace, name }, this.#counted(quota, undefined))
      this.#budgets.delete(namespace)
    }
  }

  #put(place: Place, object: KubeObject): void {
    const { of, namespace, name } = place
    const id = qualified(of)
    const bucket: Bucket = this.#buckets.get(id) ?? new Map<string, Map<string, KubeObject>>()
    this.#buckets.set(id, bucket)
    const objects = bucket.get(namespace) ?? new Map<string, KubeObject>()
    bucket.set(namespace, objects)
    const old = objects.get(name)
    objects.set(name, object)
    this.#uids.add(object.metadata.uid ?? '')
    if (old?.metadata.ownerReferences === object.metadata.ownerReferences) return
    const key = keyOf(place)
    for (const { uid } of old?.metadata.ownerReferences ?? []) this.#dependents.get(uid)?.delete(key)
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const known = this.#dependents.get(uid) ?? new Map<string, Place>()
      known.set(key, place)
      this.#dependents.set(uid, known)
    }
  }

  #noteBefore(place: Place, before: () => KubeObject | undefined): void {
    const key = keyOf(place)
    if (this.#isNoting && !this.#before.has(key)) this.#before.set(key, { ...place, before: before() })
  }

  #tell(place: Place, object: KubeObject | undefined, old: KubeObject | undefined): void {
    for (const listener of this.#listeners) listener(place, object, old)
  }

  #budgetsOf(namespace: string): Map<string, Budget> {
    const known = this.#budgets.get(namespace)
    if (known !== undefined) return known
    const made = new Map(
      this.list(RESOURCE_QUOTAS, namespace)
        .filter(isResourceQuota)
        .map((quota) => [quota.metadata.name ?? '', quotaBudget(quota, QUOTA_EVALUATORS)] as const),
    )
    this.#budgets.set(namespace, made)
    return made
  }

  /** The quota with the status that the API server gives it. One whose limits stay keeps its usage. */
  #counted(quota: ResourceQuota, old: KubeObject | undefined): ResourceQuota {
    const { namespace = '' } = quota.metadata
    const status = old !== undefined && isResourceQuota(old) ? old.status : quota.status
    const before = { ...quota, ...(status === undefined ? {} : { status }) }
    if (old !== undefined && status?.hard !== undefined && jsonEqual(old['spec'], quota.spec)) return before
    const shared = this.#counts.get(namespace) ?? new SharedCount()
    this.#counts.set(namespace, shared)
    const errors = new Map([...this.unseen].map((one) => [one, `${one} could not be read`]))
    const { status: counted } = recount({
      quota: before,
      evaluators: QUOTA_EVALUATORS,
      // The quota itself counts towards `resourcequotas`, once it is charged.
      objectsOf: (of) =>
        this.#offered?.find(of) === undefined && this.#offered !== undefined ? undefined : this.list(of, namespace),
      now: this.now,
      lookup: this.lookup,
      evaluatorErrors: errors,
      shared,
    })
    return { ...quota, status: counted }
  }

  #quotaChanged({ namespace, name }: Place, quota: KubeObject, old: KubeObject | undefined): void {
    const budgets = this.#budgetsOf(namespace)
    const before = budgets.get(name)
    if (!isResourceQuota(quota)) return
    const after = quotaBudget(quota, QUOTA_EVALUATORS)
    budgets.set(name, after)
    this.#stale.get(namespace)?.delete(name)
    if (old !== undefined && before !== undefined && isRaised(before, after)) this.freed.add(namespace)
  }

  #charge({ of, namespace }: Place, object: KubeObject | undefined, oldObject: KubeObject | undefined): void {
    if (namespace === '' || QUOTA_EVALUATORS.of(of) === undefined) return
    this.#counts.delete(namespace)
    const budgets = this.#budgetsOf(namespace)
    if (budgets.size === 0) return
    const measuring = { now: this.now, lookup: this.lookup }
    for (const { budget, used } of shiftUsage([...budgets.values()], { of, object, oldObject }, measuring) ?? []) {
      const known = budgets.get(budget.name)
      if (known === undefined) continue
      if (isLess(used, known.used)) this.freed.add(namespace)
      const { name } = budget
      const place = { of: RESOURCE_QUOTAS, namespace, name }
      this.#noteBefore(place, () => this.find(RESOURCE_QUOTAS, namespace, name))
      budgets.set(budget.name, withUsed(known, used))
      const stale = this.#stale.get(namespace) ?? new Set<string>()
      stale.add(budget.name)
      this.#stale.set(namespace, stale)
    }
  }

  /** Writes the usage into the statuses of quotas. */
  #writeOut(namespace: string): void {
    const stale = this.#stale.get(namespace)
    if (stale === undefined || stale.size === 0) return
    const names = [...stale]
    stale.clear()
    for (const name of names) {
      const quota = this.#buckets.get('resourcequotas')?.get(namespace)?.get(name)
      const budget = this.#budgets.get(namespace)?.get(name)
      if (quota === undefined || budget === undefined || !isResourceQuota(quota)) continue
      const next = { ...quota, status: { ...quota.status, used: formatResourceList(budget.used) } }
      this.#put({ of: RESOURCE_QUOTAS, namespace, name }, next)
      this.#tell({ of: RESOURCE_QUOTAS, namespace, name }, next, quota)
    }
  }
}

const isQuotas = ({ group, resource }: GroupResource): boolean => group === '' && resource === 'resourcequotas'

const keyOf = ({ of, namespace, name }: Place): string => `${qualified(of)} ${namespace}/${name}`

function unversioned(object: KubeObject | undefined): KubeObject | undefined {
  if (object === undefined) return undefined
  const { resourceVersion: _, generation: __, managedFields: ___, ...metadata } = object.metadata
  return { ...object, metadata }
}

const isLess = (after: ResourceList, before: ResourceList): boolean =>
  Object.entries(after).some(([name, amount]) => {
    const was = quantityOf(before, name)
    return was !== undefined && amount.cmp(was) < 0
  })

/** Does a budget refuse less than before: by a higher limit, or one that is gone, or by other scopes? */
const isRaised = (before: Budget, after: Budget): boolean =>
  Object.entries(before.hard).some(([name, limit]) => {
    const now = quantityOf(after.hard, name)
    return now === undefined || now.cmp(limit) > 0
  })
