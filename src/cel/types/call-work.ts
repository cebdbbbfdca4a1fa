import { ParsedUrl } from './parsed-url.ts'
import { SemanticVersion } from './semantic-version.ts'
import { CelList, CelMap, type CelValue } from './value.ts'

/** How many characters of text are one unit of work; a member of a list or map is one. */
export const TEXT_UNIT = 10

/** The units of work to go through a value once, without its members' own. It takes the same time for every value. */
export function extentOf(value: CelValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length / TEXT_UNIT
  if (value instanceof CelList || value instanceof CelMap) return value.size
  if (value instanceof ParsedUrl) return value.text.length / TEXT_UNIT
  return value instanceof SemanticVersion ? value.pre.length : 0
}

/**
 * How often a call goes through its arguments, where that is not once. 0 is for functions that take the same time for
 * every argument, and for those that count the work themselves.
 */
const TIMES: { readonly [name: string]: number } = {
  size: 0,
  type: 0,
  dyn: 0,
  first: 0,
  last: 0,
  charAt: 0,
  'optional.of': 0,
  'optional.ofNonZeroValue': 0,
  // It goes by the sizes of both lists multiplied.
  'sets.contains': 2,
  'sets.intersects': 2,
  'sets.equivalent': 4,
  semver: 25,
  isSemver: 25,
  getQuery: 20,
  substring: 3,
  replace: 20,
  // A text that cannot be read is quoted in the message.
  url: 50,
  isURL: 50,
  ip: 110,
  isIP: 110,
  'ip.isCanonical': 110,
  cidr: 55,
  isCIDR: 55,
  containsIP: 110,
  containsCIDR: 55,
  split: 8,
  findAll: 4,
  validate: 4,
  format: 4,
  'strings.quote': 20,
}

/** The work of a call of a function, to be counted before it is made. */
export function workOfCalls(name: string): (args: readonly CelValue[]) => number {
  const times = Object.hasOwn(TIMES, name) ? (TIMES[name] ?? 1) : 1
  if (times === 0) return () => 0
  return (args) => {
    const extent = args.reduce((sum: number, arg) => sum + extentOf(arg), 0)
    return extent * (extent <= SHORT ? Math.min(times, SHORT) : times)
  }
}

// Reading such short arguments costs little beside the call itself.
const SHORT = 10
