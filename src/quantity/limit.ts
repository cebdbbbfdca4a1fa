import { Quantity } from './quantity.ts'

/** The quantity, or 0 (DecimalSI) where it is negative (Capsule's clamp of usage). */
export function clampToZero(quantity: Quantity): Quantity {
  return quantity.sign() < 0 ? Quantity.zero : quantity
}

/** The errors in a quantity as a limit of a custom quota (Capsule's words), or undefined where it is above 0. */
export function limitProblem(quantity: Quantity): string | undefined {
  return quantity.sign() > 0 ? undefined : `quantity must not be negative or 0: "${quantity.toString()}"`
}
