import type { QuotaSource } from '../api/source.ts'
import { splitFieldSelectorEquals, splitFieldSelectorNotEquals } from './path-selector/split-field-selector.ts'
import { type KindSchema, type MissingField, missingField } from './path-selector/path-in-schema.ts'

/** Warnings of paths of a valid source that find nothing in any object of its kind, by the schema of the kind. `at`: the path of the source. */
export function sourceSchemaWarnings(source: QuotaSource, at: string, schema: KindSchema): readonly string[] {
  const { path = '', selectors = [], kind } = source
  const warnings: string[] = []
  const check = (read: string, where: string, effect: string): void => {
    const missing = read === '' ? undefined : missingField(read, schema)
    if (missing !== undefined) warnings.push(`${where}: ${effect}: ${textOf(missing, kind)}`)
  }
  check(path, `${at}.path`, 'finds nothing')
  selectors.forEach(({ fieldSelectors = [] }, entry) =>
    fieldSelectors.forEach((raw, index) => {
      // A field that is not there is unequal to any value.
      if (splitFieldSelectorNotEquals(raw) !== undefined) return
      const read = splitFieldSelectorEquals(raw)?.path ?? raw
      check(read, `${at}.selectors[${entry}].fieldSelectors[${index}]`, 'selects nothing')
    }),
  )
  return warnings
}

function textOf({ parent, name, meant, isInList }: MissingField, kind: string): string {
  const of = parent === '' ? `a ${kind}` : `${parent} of a ${kind}`
  if (isInList) return `${of} is a list, of which ${parent}[*] reads the items`
  const what = `${of} has no field ${JSON.stringify(name)}`
  return meant === undefined ? what : `${what}; ${meant} was probably meant`
}
