import type { ResourcePool } from '../../../../src/systems/resource-pool/api/resource-pool.ts'
import type { ResourceQuota } from '../../../../src/kinds/resource-quota/resource-quota.ts'
import type { QuotaWrite } from '../../../../src/systems/resource-pool/decide/quota/write-order.ts'

/** The one resource of these worlds. */
export const CPU = 'requests.cpu'

/** The events from outside, each once, at any time but in this order. Amounts are whole CPUs. */
export type EventContent =
  | { readonly what: 'claim'; readonly name: string; readonly namespace: string; readonly cpu: number }
  | { readonly what: 'unclaim'; readonly name: string }
  | { readonly what: 'select' | 'unselect'; readonly namespace: string }
  | { readonly what: 'pool'; readonly cpu: number }
  | { readonly what: 'defaults'; readonly cpu: number }
  /** The pool gets other scopes. Every pod is in all of them. */
  | { readonly what: 'scopes'; readonly scopes: readonly string[] }
  | { readonly what: 'delete-pool' }
  | { readonly what: 'delete-quota'; readonly namespace: string }

/** One small world. It starts settled: its first claims have their room. */
export interface World {
  readonly cpu: number
  readonly defaults?: number
  readonly namespaces: readonly string[]
  readonly claims: readonly { readonly name: string; readonly namespace: string; readonly cpu: number }[]
  /** How many pods of one CPU users may make, in namespaces whose quota allows it at that time. */
  readonly pods: number
  /** How many of them may end again. */
  readonly ends?: number
  readonly happenings: readonly EventContent[]
  readonly operators: number
}

/** Objects by their namespace. */
export type Stored<T> = Readonly<Record<string, T>>

/** A claim, as far as it matters here. */
export interface Claim {
  readonly name: string
  readonly namespace: string
  readonly cpu: number
  readonly age: number
}

/** The desired state; a read returns the state of one moment. */
export interface Wishes {
  readonly claims: readonly Claim[]
  /** Those that the pool's selector fits. */
  readonly namespaces: readonly string[]
}

/** The objects that an operator read, not all at one moment. */
export interface View {
  readonly quotas: Stored<ResourceQuota>
  readonly wishes: Wishes
}

/** An operator between two of its calls: what it has read, and what it is about to write. */
export type Operator =
  | { readonly at: 'start' }
  | { readonly at: 'pool'; readonly pool: ResourcePool; readonly wishes: Wishes }
  | { readonly at: 'quotas'; readonly quotas: Stored<ResourceQuota> }
  | { readonly at: 'all'; readonly pool: ResourcePool; readonly view: View; readonly gone: readonly string[] }
  | { readonly at: 'writing'; readonly writes: readonly QuotaWrite[]; readonly from?: Seen }

/** The objects that a round was planned on, for a round that continues after some are gone. */
interface Seen {
  readonly pool: ResourcePool
  readonly view: View
}

/** The stored objects, the running workloads, and the position of each operator. */
export interface State extends View {
  readonly pool: ResourcePool
  /** Pods by namespace. */
  readonly pods: Stored<number>
  readonly podsLeft: number
  readonly endsLeft: number
  readonly happened: number
  readonly operators: readonly Operator[]
}

/** A violation. */
export class Violation extends Error {}

let versions = 1_000_000
/** A unique value, as resourceVersion or uid. */
export const newVersion = (): string => `v${versions++}`

/** The quota after a write. */
export const versioned = (quota: ResourceQuota): ResourceQuota => ({
  ...quota,
  metadata: { ...quota.metadata, resourceVersion: newVersion() },
})

export const scopesOf = (quota: ResourceQuota | undefined): string => (quota?.spec?.scopes ?? []).join()
export const hardOf = ({ spec }: ResourcePool): number => Number(spec.quota.hard?.[CPU] ?? 0)
export const defaultOf = ({ spec }: ResourcePool): number => Number(spec.defaults?.[CPU] ?? 0)

/** The amounts that the quotas of the pool's namespaces allow, or the usage where it is larger. */
export function allowedOf({ pool, quotas, pods }: State): number {
  return Object.entries(quotas).reduce((sum, [namespace, { status }]) => {
    const limit = status?.hard?.[CPU]
    if (limit === undefined) return sum
    const isServed = pool.status?.namespaces?.includes(namespace) === true
    const used = isServed ? (pods[namespace] ?? 0) : 0
    return sum + Math.max(Number(limit) - defaultOf(pool), used - defaultOf(pool), 0)
  }, 0)
}
