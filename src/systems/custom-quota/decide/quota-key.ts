import type { BudgetRef } from '../../../charges/budget.ts'

/** A custom quota in one word, as ids of reservations have it: `<namespace>/<name>`, or `C/<name>` outside namespaces (as in Capsule). */
export function reservationQuotaKey({ namespace, name }: Pick<BudgetRef, 'namespace' | 'name'>): string {
  return `${namespace === '' ? 'C' : namespace}/${name}`
}
