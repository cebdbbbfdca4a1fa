import type { AllocatedClaim } from '../../api/resource-pool.ts'
import { oncePerObject } from '../../../../machinery/once-per-object.ts'
import type { ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { entriesOf, type Ledger } from './entries.ts'
import { ResourceSum } from '../amount/resource-sum.ts'

const NOTHING: ResourceList = Object.freeze({})

const sumOfEntries = oncePerObject((entries: readonly AllocatedClaim[]): ResourceList => {
  const total = new ResourceSum()
  for (const { claims } of entries) total.add(amountsOf(claims))
  return total.list()
})

const totalOfLedger = oncePerObject((ledger: Ledger): ResourceList => {
  const total = new ResourceSum()
  for (const namespace of Object.keys(ledger).toSorted()) total.add(sumOf(entriesOf(ledger, namespace)))
  return total.list()
})

/** Returns the sum of the entries of one namespace. Throws QuantityError. */
export const sumOf = (entries: readonly AllocatedClaim[] | undefined): ResourceList =>
  entries === undefined ? NOTHING : sumOfEntries(entries)

/** Returns the sum of all entries of a ledger. Throws QuantityError. */
export const totalOf = (ledger: Ledger | undefined): ResourceList =>
  ledger === undefined ? NOTHING : totalOfLedger(ledger)

/** How many bytes entries of a ledger take up as JSON. */
export const bytesOf = oncePerObject((entries: readonly AllocatedClaim[]): number => JSON.stringify(entries).length)
