import { isObject } from '../../machinery/object.ts'
import { absent } from '../../machinery/read.ts'
import { sameAmount } from './quantity-field.ts'

/** Fields that are maps upstream, where an empty one is the same as none; a struct's `{}` is not. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'binaryData',
  'data',
  'default',
  'defaultRequest',
  'hard',
  'labels',
  'limits',
  'matchLabels',
  'max',
  'maxLimitRequestRatio',
  'min',
  'nodeSelector',
  'overhead',
  'parameters',
  'requests',
])

/** Maps of quantities, where `1` and `1000m` are the same. */
const AMOUNTS: ReadonlySet<string> = new Set(['capacity', 'hard', 'limits', 'overhead', 'requests', 'used'])

/**
 * Do two JSON values say the same, as apimachinery's `equality.Semantic` reads them: null is absent, an empty list or map
 * equals an absent one, and quantities in resource lists are numbers?
 */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    return a.every((value, index) => semanticallyEqual(value, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  for (const key in a) if (!sameField(key, a[key], b[key])) return false
  for (const key in b) if (!(key in a) && !sameField(key, undefined, b[key])) return false
  return true
}

function sameField(key: string, a: unknown, b: unknown): boolean {
  if (semanticallyEqual(a, b)) return true
  if (MAPS.has(key) && holdsNothing(a) && holdsNothing(b)) return true
  return AMOUNTS.has(key) && sameAmounts(a, b)
}

function sameAmounts(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return false
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => name in b && sameAmount(a[name], b[name]))
}

const isEmpty = (value: unknown): boolean => absent(value) || (Array.isArray(value) && value.length === 0)

const holdsNothing = (value: unknown): boolean => absent(value) || (isObject(value) && Object.keys(value).length === 0)
