import { ifReadable, Quantity } from '../../quantity/quantity.ts'

/** The quantity that a JSON value stands for; undefined for what is none (decoding has refused those already). */
export function amountOf(value: unknown): Quantity | undefined {
  if (value === undefined || value === null) return undefined
  return ifReadable(() => Quantity.fromJson(value), undefined)
}

/** Are both the same amount, however written? */
export function sameAmount(a: unknown, b: unknown): boolean {
  if (a === b) return true
  const left = amountOf(a)
  const right = amountOf(b)
  return left !== undefined && right !== undefined && left.equals(right)
}
