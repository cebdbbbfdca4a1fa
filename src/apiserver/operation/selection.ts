import {
  builtInFieldSupport,
  compileFieldQuery,
  customFieldSupport,
  supportedFieldQuery,
} from '../../machinery/selector/field-support.ts'
import { parseFieldQuery } from '../../machinery/selector/field-query.ts'
import { parseLabelQuery } from '../../machinery/selector/label-query.ts'
import { SelectorError } from '../../machinery/selector/error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { Resource } from '../resource/registry.ts'

/** Selects objects of a resource; undefined: all. */
export type Selection = ((object: KubeObject) => boolean) | undefined

/** Reads `labelSelector` and `fieldSelector`. Throws 400 for a selector that cannot be parsed or asks for an unknown field. */
export function parseSelection(resource: Resource, query: URLSearchParams): Selection {
  const tests: ((object: KubeObject) => boolean)[] = []
  try {
    const labels = parseLabelQuery(query.get('labelSelector') ?? '')
    if (!labels.isEverything) tests.push(({ metadata }) => labels.matches(metadata.labels))
    const fields = parseFieldQuery(query.get('fieldSelector') ?? '')
    if (!fields.isEverything) {
      const { served } = resource
      const support =
        served.custom === true
          ? customFieldSupport(served.namespaced, served.selectableFields)
          : builtInFieldSupport(served.group, served.kind)
      tests.push(compileFieldQuery(supportedFieldQuery(fields, support), support))
    }
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error
  }
  const [first, second] = tests
  if (first === undefined || second === undefined) return first
  return (object) => first(object) && second(object)
}

/** The selection among the objects of one name, which is all that the caller may touch; `''` stands for all names. */
export function narrowed(name: string, selection: Selection): Selection {
  if (name === '') return selection
  return (object) => object.metadata.name === name && (selection?.(object) ?? true)
}

/** The selection as the store asks it of records, whose objects may be stored in another version. */
export function recordFilter(
  resource: Resource,
  selection: Selection,
): ((record: StoredRecord) => boolean) | undefined {
  if (selection === undefined) return undefined
  const { conversion } = resource
  return conversion === undefined
    ? ({ object }) => selection(object)
    : ({ object }) => selection(conversion.fromStored(object))
}
