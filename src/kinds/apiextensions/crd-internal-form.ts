import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { absent, listOf, objectsOf } from '../../machinery/read.ts'

/** The members that all versions of a CRD share, and the versions without them. */
export interface InternalForm {
  readonly shared: JsonObject
  readonly versions: readonly JsonObject[]
}

/** The members that the internal form holds once for all versions. */
const MEMBERS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const

/**
 * Returns the internal form of the versions of a CRD: members that all versions share stand above them once. Upstream validates
 * CRDs in this form, and its errors name the paths of this form.
 */
export function internalForm(list: unknown): InternalForm {
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
  return internalForm(list).versions.map((version) => ({
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
