import { isObject } from '../object.ts'
import { sortedNames } from './code-point-order.ts'
import { kindOf, exactNumber } from './json-kind.ts'
import { MAX_DEPTH, tooDeep } from './limits.ts'

const ESCAPED = /[<>&\u2028\u2029]/g

/**
 * JSON as Go's encoding/json writes it: names in order, `<`, `>` and `&` escaped. With an `indent` every member and element
 * has a line of its own; `newline` is what starts the lines that the value itself stands on.
 */
export function goJson(value: unknown, indent = '', newline = '\n'): string {
  return write(value, indent, newline, 0)
}

function write(value: unknown, indent: string, newline: string, depth: number): string {
  if (depth > MAX_DEPTH) throw tooDeep()
  switch (kindOf(value)) {
    case 'none':
    case 'null':
      return 'null'
    case 'bool':
      return String(value)
    case 'int':
    case 'float':
      return String(exactNumber(value))
    case 'string':
      return quoted(String(value))
    case 'list': {
      if (!Array.isArray(value)) return '[]'
      const items = value.map((item) => write(item, indent, newline + indent, depth + 1))
      return enclose('[', items, ']', indent, newline)
    }
    case 'map':
    default: {
      if (!isObject(value)) return '{}'
      const colon = indent === '' ? ':' : ': '
      const members = sortedNames(value).map(
        (name) => quoted(name) + colon + write(value[name], indent, newline + indent, depth + 1),
      )
      return enclose('{', members, '}', indent, newline)
    }
  }
}

function enclose(open: string, items: readonly string[], close: string, indent: string, newline: string): string {
  if (items.length === 0) return open + close
  if (indent === '') return open + items.join(',') + close
  return open + newline + indent + items.join(`,${newline}${indent}`) + newline + close
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    ESCAPED,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}
