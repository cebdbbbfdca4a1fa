import type { Registry, Resource } from '../../src/apiserver/resource/registry.ts'
import type { ListType, MapType, Type } from '../../src/schema/type/type.ts'

/** Where a list or map stands in the objects of a kind. A step is a field, or `0` into a list, or `k` into a map. */
export interface Place {
  readonly resource: Resource
  readonly path: readonly string[]
  readonly type: ListType | MapType
  /** The definition and field that it is: the same for the pods of all workloads. */
  readonly origin: string
}

/** The steps that enter a list and a map. */
export const ITEM = '0'
export const MEMBER = 'k'

/** Every list and map of a kind, however deep; a definition that contains itself is entered once. */
export function placesOf(resource: Resource, root: Type = resource.merging): readonly Place[] {
  const places: Place[] = []
  const walk = (type: Type, path: readonly string[], origin: string, above: readonly string[]): void => {
    if (type.kind === 'object') {
      const name = type.name === '' ? origin : type.name
      if (above.includes(name)) return
      for (const field of type.fields.values())
        if (field.name !== 'managedFields' || path.length > 1)
          walk(field.type, [...path, field.name], `${name}.${field.name}`, [...above, name])
    } else if (type.kind === 'list' || type.kind === 'map') {
      places.push({ resource, path, type, origin })
      if (type.kind === 'list') walk(type.items, [...path, ITEM], `${origin}[]`, above)
      else walk(type.values, [...path, MEMBER], `${origin}{}`, above)
    }
  }
  walk(root, [], '', [])
  return places
}

/** Every list and map of every built-in kind that can be created. */
export const builtInPlaces = (registry: Registry): readonly Place[] =>
  registry
    .all()
    .filter(({ served }) => served.custom !== true && served.verbs.includes('create'))
    .flatMap((resource) => placesOf(resource))

/** One place of each origin: the first, in the kind that has the shortest way to it. */
export function eachOrigin(places: readonly Place[]): readonly Place[] {
  const found = new Map<string, Place>()
  for (const place of places) {
    const known = found.get(place.origin)
    if (known === undefined || place.path.length < known.path.length) found.set(place.origin, place)
  }
  return [...found.values()]
}
