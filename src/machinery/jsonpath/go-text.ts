import { sortedNames } from './code-point-order.ts'
import { isObject } from '../object.ts'
import { kindOf, exactNumber } from './json-kind.ts'
import { MAX_DEPTH, tooDeep } from './limits.ts'

const TYPE_NAMES: Readonly<Record<ReturnType<typeof kindOf>, string>> = {
  none: '<invalid>',
  null: '<nil>',
  bool: 'bool',
  int: 'int64',
  float: 'float64',
  string: 'string',
  list: '[]interface {}',
  map: 'map[string]interface {}',
}

/** The Go type of decoded JSON. */
export function goTypeName(value: unknown): string {
  return TYPE_NAMES[kindOf(value)]
}

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`, `<nil>`, `1e+06`. */
export function goText(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw tooDeep()
  switch (kindOf(value)) {
    case 'none':
      return '<invalid reflect.Value>'
    case 'null':
      return '<nil>'
    case 'int':
      return String(exactNumber(value))
    case 'float':
      return floatText(Number(exactNumber(value)))
    case 'list':
      return Array.isArray(value) ? `[${value.map((item) => goText(item, depth + 1)).join(' ')}]` : ''
    case 'map': {
      if (!isObject(value)) return ''
      const members = sortedNames(value).map((name) => `${name}:${goText(value[name], depth + 1)}`)
      return `map[${members.join(' ')}]`
    }
    case 'bool':
    case 'string':
    default:
      return String(value)
  }
}

/** A float as Go's `%v` prints it: shortest digits, with an exponent of two digits below 1e-4 and from 1e+06 on. */
export function floatText(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
