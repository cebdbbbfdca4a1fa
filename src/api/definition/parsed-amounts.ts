import { setOwn } from '../../machinery/json-value.ts'
import { oncePerObject } from '../../machinery/once-per-object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { ResourceListJson } from './collection.ts'

const NOTHING: ResourceList = Object.freeze({})

const parsed = oncePerObject((json: ResourceListJson): ResourceList => {
  const list: Record<string, Quantity> = {}
  for (const [name, value] of Object.entries(json)) setOwn(list, name, Quantity.fromJson(value))
  return list
})

/**
 * The amounts of a JSON object that never changes, as quantities; none where it is absent. They are parsed once and stay with
 * the object, which a cache keeps for as long as it is the same on the API server. Throws QuantityError.
 */
export const amountsOf = (json: ResourceListJson | undefined): ResourceList =>
  json === undefined ? NOTHING : parsed(json)
