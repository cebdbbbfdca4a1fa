import { RE2JS, RE2JSException } from 're2js'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'

/** A compiled `pattern`. */
export interface SchemaPattern {
  readonly source: string
  /** How large it is when compiled: what a match costs for each character, at the worst. */
  readonly states: number
  /** Does the text contain a match? Takes time linear in the text. */
  test(text: string): boolean
}

/** So many characters in so many states may be met for one object: some seconds, if a pattern is made to be slow. */
const MOST_MATCHING = 200_000_000
export const TOO_MUCH_TEXT = 'the texts of the object are too long for the regular expressions that they must match'

/** So many times may a value be checked by a schema, or lack a member: each of many values may be by each of many schemas. */
const MOST_CHECKS = 2_000_000
export const TOO_MANY_CHECKS = 'the object has too many values for the alternatives and required fields of its schema'

/** A match takes time in proportion to the text and to the pattern, and an object may have much of both. */
export class Matching {
  #left = MOST_MATCHING
  #checks = MOST_CHECKS

  /** To be asked before a match; false when the object has had its share. */
  affords(pattern: SchemaPattern, text: string): boolean {
    this.#left -= text.length * pattern.states
    return this.#left >= 0
  }

  /** Call this before so many values are checked by a schema, or so many missing members are reported. */
  affordsChecks(count: number): boolean {
    this.#checks -= count
    return this.#checks >= 0
  }

  /** Has a check been left out because the object had had its share? Nobody may take it for valid then. */
  get hasSkippedChecks(): boolean {
    return this.#checks < 0
  }
}

/** An invalid pattern; `problem` is worded as Go's regexp package words it. */
export interface BadPattern {
  readonly problem: string
}

/** So many states of compiled patterns are kept: a CRD is compiled when it is checked, and again when it is served. */
const MOST_STATES_KEPT = 500_000
const kept = new Map<string, SchemaPattern | BadPattern>()
let statesKept = 0

/**
 * Compiles an RE2 expression, the syntax that Kubernetes takes: no look-around and no back references, `\z`, `(?s)` and
 * `\pL` exist. JavaScript's own engine reads these otherwise and can take exponential time.
 */
export function compilePattern(source: string): SchemaPattern | BadPattern {
  const known = kept.get(source)
  if (known !== undefined) return known
  const pattern = compile(source)
  statesKept += statesOf(pattern) + source.length
  if (statesKept > MOST_STATES_KEPT) {
    kept.clear()
    statesKept = statesOf(pattern) + source.length
  }
  kept.set(source, pattern)
  return pattern
}

function compile(source: string): SchemaPattern | BadPattern {
  try {
    const compiled = RE2JS.compile(source)
    return { source, states: compiled.programSize(), test: (text) => compiled.test(text) }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { problem: error.message }
  }
}

const statesOf = (pattern: SchemaPattern | BadPattern): number => ('states' in pattern ? pattern.states : 0)

/** A state takes some microseconds to make, and the patterns of a CRD are compiled while everybody else waits. */
const MOST_STATES = 400_000
/** The members of a schema that hold values rather than schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example'])

/** The complaint about a CRD's schema whose patterns together are too large; `path` is the schema's. */
export function patternErrors(schema: JsonObject, path: string): readonly FieldError[] {
  const seen = new Set<string>()
  let states = 0
  const visit = (node: unknown, at: string): readonly FieldError[] => {
    if (Array.isArray(node)) return first(node.entries(), (item, index) => visit(item, `${at}[${index}]`))
    if (!isObject(node)) return []
    const source = node['pattern']
    if (typeof source === 'string' && !seen.has(source)) {
      seen.add(source)
      states += statesOf(compilePattern(source))
      if (states > MOST_STATES) return [invalid(`${at}.pattern`, source, TOO_LARGE)]
    }
    return first(
      Object.entries(node).filter(([key]) => !VALUES.has(key)),
      (child, key) => visit(child, at === '' ? key : `${at}.${key}`),
    )
  }
  return visit(schema, path)
}

const TOO_LARGE = 'the regular expressions of the schema are too large together'

function first<K, V>(
  entries: Iterable<readonly [K, V]>,
  find: (value: V, key: K) => readonly FieldError[],
): readonly FieldError[] {
  for (const [key, value] of entries) {
    const found = find(value, key)
    if (found.length > 0) return found
  }
  return []
}
