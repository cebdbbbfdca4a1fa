import type { IncreaseMode } from '../api/increase-names.ts'
import { setOwn } from '../../../machinery/json-value.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'

/** An increase as its mode sees it. */
export interface NamedAmounts {
  readonly name: string
  readonly amounts: ResourceList
}

/** The result of the increases of a namespace. */
export interface Combined {
  /** The limits with them. */
  readonly hard: ResourceList
  /** The contribution of each increase, by name; an increase that is missing contributes nothing. */
  readonly effects: ReadonlyMap<string, ResourceList>
}

/** Combines increases, sorted by name, with the base. `used`: the one that the namespace names, if it is there. */
type Combine = (base: ResourceList, increases: readonly NamedAmounts[], used: NamedAmounts | undefined) => Combined

/** How each mode combines increases (docs/concepts/quota-increases.md). */
export const COMBINE: Readonly<Record<IncreaseMode, Combine>> = {
  cumulative: (base, increases) => {
    const hard: Record<string, Quantity> = { ...base }
    for (const { amounts } of increases)
      for (const [name, amount] of Object.entries(amounts)) {
        const before = quantityOf(hard, name)
        setOwn(hard, name, before === undefined ? amount : before.add(amount))
      }
    return { hard, effects: new Map(increases.map(({ name, amounts }) => [name, amounts])) }
  },
  maximum: highest,
  singular: (base, _, used) => highest(base, used === undefined ? [] : [used]),
}

/** The highest amount of each resource. Of equal ones the base counts, else the first by name. */
function highest(base: ResourceList, increases: readonly NamedAmounts[]): Combined {
  const hard: Record<string, Quantity> = { ...base }
  const holders = new Map<string, string>()
  for (const { name: increase, amounts } of increases)
    for (const [name, amount] of Object.entries(amounts)) {
      if (amount.cmp(quantityOf(hard, name) ?? Quantity.zero) <= 0) continue
      setOwn(hard, name, amount)
      holders.set(name, increase)
    }
  const effects = new Map<string, Record<string, Quantity>>()
  for (const [name, increase] of holders) {
    const effect = effects.get(increase) ?? {}
    setOwn(effect, name, quantityOf(hard, name))
    effects.set(increase, effect)
  }
  return { hard, effects }
}
