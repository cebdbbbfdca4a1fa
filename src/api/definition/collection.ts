import { isTree, setOwn } from '../../machinery/json-value.ts'
import { quantity, type QuantityJson } from './scalar-type.ts'
import { described, type Schema } from './schema.ts'

/** Amounts by resource name, as JSON holds them; `parseResourceList` reads them. */
export type ResourceListJson = Readonly<Record<string, QuantityJson>>

export interface ListRules {
  /** The manager that applies the list owns all of it. */
  readonly listType?: 'atomic'
  readonly maxItems?: number
}

/** Values by any names. A member that is of another type is left out. */
export function mapOf<T>(description: string | undefined, values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  const blank: Readonly<Record<string, T>> = Object.freeze({})
  return {
    openapi: { ...described(description), type: 'object', additionalProperties: values.openapi },
    blank,
    read: (value) => {
      if (!isTree(value)) return undefined
      const members = Object.entries(value).map(([name, member]) => [name, member, values.read(member)] as const)
      // An unchanged member was read, so it is of the type.
      if (members.every(([, member, read]) => member === read)) return value as Readonly<Record<string, T>>
      const result: Record<string, T> = {}
      for (const [name, , read] of members) if (read !== undefined) setOwn(result, name, read)
      return result
    },
  }
}

/** Values in their order. An item that is of another type is left out. */
export function listOf<T>(
  description: string | undefined,
  items: Schema<T>,
  { listType, maxItems }: ListRules = {},
): Schema<readonly T[]> {
  const blank: readonly T[] = Object.freeze([])
  return {
    openapi: {
      ...described(description),
      type: 'array',
      items: items.openapi,
      ...(maxItems === undefined ? {} : { maxItems }),
      ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
    },
    blank,
    read: (value) => {
      if (!Array.isArray(value)) return undefined
      const given: readonly unknown[] = value
      const read = given.map((item) => items.read(item))
      // An unchanged item was read, so it is of the type.
      if (read.every((item, at) => item !== undefined && item === given[at])) return value as readonly T[]
      return read.filter((item) => item !== undefined)
    },
  }
}

/** Amounts by resource name. */
export function resourceList(description: string): Schema<ResourceListJson> {
  return mapOf(description, quantity())
}

/** The resources that one object may ask for or limit: far more than clusters have, and few enough to go through in one turn. */
export const MOST_RESOURCES = 1000

/** Amounts by resource name as users write them: the API server refuses more than so many. */
export function wantedResources(description: string): Schema<ResourceListJson> {
  const { openapi, ...list } = resourceList(description)
  return { ...list, openapi: { ...openapi, maxProperties: MOST_RESOURCES } }
}
