import { Quantity } from '../../quantity/quantity.ts'
import { amountOf } from './quantity-field.ts'
import { all, at, type Change } from './change.ts'

/** Matches canonical texts of amounts below a thousandth: `1500u`, `3n`, `1e-6`. */
const FINE = /[un]$|[eE]-/

/** A list of resources, each amount rounded up to thousandths (core/v1 `SetDefaults_ResourceList`). */
export const rounded: Change = (list) => {
  let copy: Record<string, unknown> | undefined
  for (const name in list) {
    const text = list[name]
    if (typeof text !== 'string' || !FINE.test(text)) continue
    const amount = amountOf(text)
    if (amount === undefined) continue
    copy ??= { ...list }
    copy[name] = Quantity.ofScaled(amount.milliValue(), -3, amount.format).toString()
  }
  return copy === undefined ? list : (copy as typeof list)
}

/** The requests and limits of a container, a pod or a claim. */
export const roundedResources: Change = at('resources', all(at('limits', rounded), at('requests', rounded)))
