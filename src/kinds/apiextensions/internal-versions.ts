import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { absent, listOf, objectsOf } from '../../machinery/read.ts'

/** What all versions of a definition have alike, and the versions without it. */
export interface HoistedVersions {
  readonly shared: JsonObject
  readonly versions: readonly JsonObject[]
}

/** What may stand once for all versions: the name at the top, and the names in a version. */
const MEMBERS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/**
 * The form in which definitions are checked, and by whose paths complaints are made: what every version says alike stands
 * above them once, as it does in the older form that upstream still keeps internally.
 */
export function hoisted(list: unknown): HoistedVersions {
  const versions = objectsOf(list)
  const [first] = versions
  const alike = MEMBERS.filter(
    (name) =>
      first !== undefined && isSaid(first[name]) && versions.every((version) => jsonEqual(version[name], first[name])),
  )
  return {
    shared: Object.fromEntries(alike.map((name) => [name, first?.[name]])),
    versions: versions.map((version) =>
      Object.fromEntries(Object.entries(version).filter(([name]) => !alike.some((one) => one === name))),
    ),
  }
}

const isSaid = (value: unknown): boolean => !absent(value) && !(Array.isArray(value) && listOf(value).length === 0)

/** The versions as a message shows them: by the names of upstream's internal fields. */
export function shownVersions(list: unknown): unknown {
  if (absent(list)) return null
  return hoisted(list).versions.map((version) => ({
    Name: version['name'] ?? '',
    Served: version['served'] ?? false,
    Storage: version['storage'] ?? false,
    Deprecated: version['deprecated'] ?? false,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: version['schema'] ?? null,
    Subresources: version['subresources'] ?? null,
    AdditionalPrinterColumns: version['additionalPrinterColumns'] ?? null,
    SelectableFields: version['selectableFields'] ?? null,
  }))
}
