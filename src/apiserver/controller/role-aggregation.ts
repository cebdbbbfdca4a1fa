import type { ClusterRole, PolicyRule } from '../../builtin/rbac-v1.ts'
import { labelSelectorOf } from '../../kinds/rule/label-selector.ts'
import { canonicalJson, jsonEqual } from '../../machinery/json-value.ts'
import { compileLabelSelector } from '../../machinery/selector/label.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { CONTROL_PLANE } from '../../machinery/caller.ts'
import { listOf, objectOf, objectsOf } from '../../machinery/read.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import { CLUSTER_ROLES } from '../auth/rule/resolver.ts'

export interface RoleAggregationOptions {
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly operations: Pick<ObjectOperations, 'update'>
  readonly onError: (role: string, error: unknown) => void
}

/** Keeps the rules of ClusterRoles that have an `aggregationRule`: the rules of all roles whose labels it selects. */
export class RoleAggregation {
  readonly #options: RoleAggregationOptions
  readonly #queue: WorkQueue
  /** The names of those roles. */
  readonly #aggregated = new Set<string>()

  constructor(options: RoleAggregationOptions) {
    const { store, onError } = options
    this.#options = options
    this.#queue = new WorkQueue({ work: (name) => this.#sync(name), onError })
    store.watch({ bucket: CLUSTER_ROLES }, ({ type, record }) => {
      this.#note(record.key, type === 'deleted' ? undefined : record.object)
      this.#addAll()
    })
    for (const { key, object } of store.latestIn(CLUSTER_ROLES, undefined)) this.#note(key, object)
    this.#addAll()
  }

  /** Resolves when every such role has the rules that it should have. */
  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  #note(name: string, role: KubeObject | undefined): void {
    if (role !== undefined && isAggregated(role)) this.#aggregated.add(name)
    else this.#aggregated.delete(name)
  }

  #addAll(): void {
    for (const name of this.#aggregated) this.#queue.add(name)
  }

  async #sync(name: string): Promise<void> {
    const { store, registry, operations } = this.#options
    const resource = registry.ofBucket(CLUSTER_ROLES)
    const role = store.latest(CLUSTER_ROLES, name)?.object
    if (resource === undefined || role === undefined || !isAggregated(role)) return
    if (jsonEqual(listOf(role['rules']), aggregatedRules(role, clusterRoles(store)))) return
    const request = { resource, namespace: '', name, subresource: '', caller: CONTROL_PLANE, dryRun: false }
    try {
      await operations.update(
        request,
        (current) => ({ ...current, rules: aggregatedRules(current, clusterRoles(store)) }),
        { wholeObject: false },
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

const isAggregated = (role: ClusterRole): boolean =>
  objectsOf(objectOf(role.aggregationRule).clusterRoleSelectors).length > 0

const clusterRoles = (store: Pick<StoredObjects, 'latestIn'>): readonly KubeObject[] =>
  [...store.latestIn(CLUSTER_ROLES, undefined)].map(({ object }) => object)

/** The rules of all other roles that one of the selectors matches, by name, each once. */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const selectors = objectsOf(objectOf(role.aggregationRule).clusterRoleSelectors).map((selector) =>
    compileLabelSelector(labelSelectorOf(selector)),
  )
  const rules: PolicyRule[] = []
  const known = new Set<string>()
  for (const other of all) {
    if (other.metadata.name === role.metadata.name || !selectors.some((matches) => matches(other.metadata.labels)))
      continue
    for (const rule of objectsOf(other.rules)) {
      const key = canonicalJson(rule)
      if (!known.has(key)) rules.push(rule)
      known.add(key)
    }
  }
  return rules
}
