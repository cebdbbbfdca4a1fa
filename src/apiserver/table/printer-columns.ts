import { int64, type Int64, isInt64Text, isRawNumber } from '../../machinery/json-value.ts'
import { JsonPathError } from '../../machinery/jsonpath/json-path-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { JsonPath } from '../../machinery/jsonpath/json-path.ts'
import type { Allowance } from '../../machinery/jsonpath/limits.ts'
import { printValue } from '../../machinery/jsonpath/print.ts'
import { absent, countOf, numberOf, objectsOf, textOf } from '../../machinery/read.ts'
import { type Cell, type Column } from './column.ts'
import { since } from './duration.ts'
import { columnsOf } from './columns.ts'
import { nameColumn } from './shared-columns.ts'

/** Each of many columns may print a whole object. */
const CHARACTERS_A_STEP = 10

const TYPES: readonly Column['type'][] = ['string', 'integer', 'number', 'boolean', 'date']

/**
 * The columns of a custom resource: its name, then what `additionalPrinterColumns` of its version says, or its age where
 * that says nothing (apiextensions `tableconvertor`). Compile them once for each CRD, not for each request.
 * @param declared the version's `additionalPrinterColumns`
 */
export function printerColumns(declared: unknown): readonly Column[] {
  const columns = objectsOf(declared)
  if (columns.length === 0) return columnsOf('')
  return [
    nameColumn,
    ...compiled(columns).map(({ column, path }): Column => {
      const type = TYPES.find((one) => one === column.type) ?? 'string'
      return {
        name: textOf(column.name),
        type,
        format: textOf(column.format),
        description: textOf(column.description),
        priority: countOf(column.priority),
        cell: (object, { now, allowance }) =>
          quietly(() => cellOf(type, path.first(object, allowance), now, allowance)) ?? null,
      }
    }),
  ]
}

interface Compiled {
  readonly column: JsonObject
  readonly path: JsonPath
}

/** The columns up to the first whose path is invalid: upstream stops there. */
function compiled(columns: readonly JsonObject[]): readonly Compiled[] {
  const found: Compiled[] = []
  for (const column of columns) {
    const path = quietly(() => JsonPath.compile(`{${textOf(column.jsonPath)}}`, { allowMissingKeys: true }))
    if (path === undefined) break
    found.push({ column, path })
  }
  return found
}

function quietly<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}

/** A value that is not of the column's type leaves the cell empty; text columns print anything. */
function cellOf(type: Column['type'], value: unknown, now: number, allowance: Allowance | undefined): Cell {
  if (absent(value)) return null
  switch (type) {
    case 'string': {
      const text = printValue(value)
      allowance?.take(text.length / CHARACTERS_A_STEP)
      return text
    }
    case 'integer':
      return isRawNumber(value) && isInt64Text(value.rawJSON) ? value : integerCell(numberOf(value))
    case 'number':
      return isRawNumber(value) ? Number(value.rawJSON) : (numberOf(value) ?? null)
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return type satisfies never
  }
}

/** A number too large for 64 bits becomes the smallest number that they hold, as on a processor. */
function integerCell(value: number | undefined): Int64 | null {
  if (value === undefined) return null
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : int64(-(2n ** 63n))
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)$/

function dateCell(text: string, now: number): string {
  if (text === '' || text === 'null') return '<unknown>'
  return !RFC_3339.test(text) || Number.isNaN(Date.parse(text)) ? '<invalid>' : since(text, now)
}
