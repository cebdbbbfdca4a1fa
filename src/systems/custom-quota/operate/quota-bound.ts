import { conditionOf } from '../../../api/condition.ts'
import type { AnyQuota } from './tracking/tracked-quota.ts'

/** The reason of the condition Ready of a quota beyond the bound of its namespace. */
export const TOO_MANY_QUOTAS = 'TooManyQuotas'

/** Has the leader set the quota aside, because its namespace has as many as it may? Then no replica counts or asks it. */
export function isSetAside({ status }: Pick<AnyQuota, 'status'>): boolean {
  return conditionOf(status?.conditions, 'Ready')?.reason === TOO_MANY_QUOTAS
}

/**
 * The bound on CustomQuotas of a namespace, as the leader keeps it. Creates that run at the same time do not see each other at admission.
 * A quota that was let in once stays in, whatever comes later.
 */
export class QuotaBound {
  readonly most: number
  readonly #inNamespace: (namespace: string) => readonly AnyQuota[]
  /** The uids that were let in and whose statuses may not say so yet, by namespace. */
  readonly #letIn = new Map<string, ReadonlySet<string>>()

  constructor(most: number, inNamespace: (namespace: string) => readonly AnyQuota[]) {
    this.most = most
    this.#inNamespace = inNamespace
  }

  /** Lets a quota in, the earliest first, while there is a place in its namespace. Returns whether it is in. */
  admits(quota: AnyQuota): boolean {
    const { namespace = '', uid = '' } = quota.metadata
    if (quota.kind === 'GlobalCustomQuota') return true
    const all = this.#inNamespace(namespace)
    const before = this.#letIn.get(namespace) ?? new Set()
    const letIn = new Set(all.flatMap(({ metadata: { uid: one = '' } }) => (before.has(one) ? [one] : [])))
    const isIn = (one: AnyQuota): boolean => letIn.has(one.metadata.uid ?? '') || wasLetIn(one)
    const ahead = all.filter((one) => one.metadata.uid !== uid && (isIn(one) || isEarlier(one, quota)))
    const isAdmitted = isIn(quota) || ahead.length < this.most
    if (isAdmitted) letIn.add(uid)
    this.#letIn.set(namespace, letIn)
    if (all.length === 0) this.#letIn.delete(namespace)
    return isAdmitted
  }
}

const wasLetIn = (quota: AnyQuota): boolean =>
  conditionOf(quota.status?.conditions, 'Ready') !== undefined && !isSetAside(quota)

function isEarlier({ metadata: a }: AnyQuota, { metadata: b }: AnyQuota): boolean {
  const order = (one: typeof a): string => `${one.creationTimestamp ?? ''}/${one.name ?? ''}`
  return order(a) < order(b)
}
