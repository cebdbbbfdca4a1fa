import { isAlias, isMap, isScalar, LineCounter, Scalar, visit } from 'yaml'
import type { Document, ParseOptions, DocumentOptions, SchemaOptions } from 'yaml'
import { MAX_DEPTH } from '../json-text.ts'
import { isInt64Text, rawNumber } from '../json-value.ts'
import { resolveAliases, YamlAliasError } from './aliases.ts'
import { composeYaml, YamlProblemError } from './document.ts'
import { wordedAsGo } from './problem.ts'
import { floatKey, resolveScalar, type YamlScalar, YamlScalarError } from './scalar.ts'

/**
 * A text that is not YAML, or not YAML that JSON can carry. The message is worded as Go's library words it; `line` and
 * `column`, which start at 1, say where it is.
 */
export class YamlTextError extends Error {
  readonly line: number
  readonly column: number
  constructor(message: string, line: number, column: number) {
    super(message)
    this.name = 'YamlTextError'
    this.line = line
    this.column = column
  }
}

/** How often aliases may multiply what they name before it counts as a bomb. */
const MAX_ALIASES = 100

/** How long the JSON of a text may be, roughly: several times what a text of 3 MiB says without aliases and merges. */
const MAX_JSON_LENGTH = 32 * 1024 * 1024

/** The message of the plain error that the library throws for a `<<` that names no map, and only when the value is made. */
const NO_MERGE = 'Merge sources must be maps or map aliases'
const MERGE_NEEDS_MAPS = 'map merge requires map or sequence of maps as the value'

const TOO_DEEP = 'yaml: exceeded max depth'
const EXCESSIVE = 'yaml: document contains excessive aliasing'

/** A character that Go's reader of YAML takes nowhere in a text. JSON may have some of them within its texts. */
export const CONTROL = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/

const KEPT_TAGS: ReadonlySet<string> = new Set(['map', 'seq', 'str'].map((name) => `tag:yaml.org,2002:${name}`))

/** Scalars stay texts, because what they stand for is decided here (`scalar.ts`). */
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  merge: true,
  uniqueKeys: false,
  logLevel: 'silent',
  customTags: (tags) => tags.filter((tag) => typeof tag !== 'string' && KEPT_TAGS.has(tag.tag)),
}

/** The value of a YAML text, and the keys that it sets twice, as `line 5: key "replicas" already set in map`. */
export interface YamlContent {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/**
 * Parses the first document of a YAML text into the shapes of `parseJson`: plain objects with string keys, and numbers
 * without losing a digit. Throws `YamlTextError`.
 */
export function parseYaml(text: string): unknown {
  return readYaml(text).value
}

/** As `parseYaml`, with the keys that are set twice where those are asked for. Throws `YamlTextError`. */
export function readYaml(text: string, withDuplicates = false): YamlContent {
  return fromFirst(text, (first, document) => {
    const value = toJson(first, document)
    return { value, duplicates: withDuplicates ? repeatedKeys(first, document) : [] }
  })
}

/** Returns the result of `read` for the first document, given that part of the text. */
function fromFirst<T>(text: string, read: (first: string, document: Document.Parsed) => T): T {
  const first = firstDocument(text)
  const control = first.search(CONTROL)
  if (control >= 0) throw placed(first, 'yaml: control characters are not allowed', control)
  try {
    return read(first, composeYaml(first, OPTIONS))
  } catch (error) {
    throw asTextError(first, error)
  }
}

function repeatedKeys(text: string, document: Document.Parsed): readonly string[] {
  const found: { readonly offset: number; readonly name: string }[] = []
  visit(document, {
    Map: (_at, map) => {
      const seen = new Set<string>()
      for (const { key } of map.items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (seen.has(name)) found.push({ offset: key.range?.[0] ?? 0, name })
        seen.add(name)
      }
    },
  })
  if (found.length === 0) return []
  const lines = linesOf(text)
  return found
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, name }) => `line ${lines.linePos(offset).line}: key ${JSON.stringify(name)} already set in map`)
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter()
  for (let start = 0; ;) {
    lines.addNewLine(start)
    start = text.indexOf('\n', start) + 1
    if (start === 0) return lines
  }
}

function asTextError(text: string, error: unknown): unknown {
  if (error instanceof YamlProblemError) return problemError(text, error)
  if (error instanceof YamlAliasError) return new YamlTextError(EXCESSIVE, 1, 1)
  if (error instanceof RangeError) return new YamlTextError(TOO_DEEP, 1, 1)
  if (error instanceof ReferenceError) return new YamlTextError(aliasProblem(error.message), 1, 1)
  if (error instanceof Error && error.message === NO_MERGE) return new YamlTextError(`yaml: ${MERGE_NEEDS_MAPS}`, 1, 1)
  return error
}

function problemError(text: string, { problem }: YamlProblemError): YamlTextError {
  const { line, col } = problem.offset < 0 ? { line: 1, col: 1 } : linesOf(text).linePos(problem.offset)
  if (problem.message.includes('call stack')) return new YamlTextError(TOO_DEEP, line, col)
  const message = problem.message.split('\n')[0] ?? ''
  return new YamlTextError(`yaml: ${wordedAsGo(text, { ...problem, message })}`, line, col)
}

function aliasProblem(message: string): string {
  const name = /Unresolved alias .*: (.*)$/.exec(message)?.[1]
  return name === undefined ? EXCESSIVE : `yaml: unknown anchor '${name}' referenced`
}

/** Cuts behind the first document, so that the parser does not complain of the others. */
function firstDocument(text: string): string {
  const separator = /^---(?:\s|$)/gm
  for (let match = separator.exec(text); match !== null; match = separator.exec(text)) {
    if (/[^\s]/.test(text.slice(0, match.index).replaceAll(/^[#%].*$/gm, ''))) return text.slice(0, match.index)
    const rest = separator.exec(text)
    return rest === null ? text : text.slice(0, rest.index)
  }
  return text
}

function toJson(text: string, document: Document.Parsed): unknown {
  const refuse = (message: string, offset: number | undefined): never => {
    throw placed(text, message, offset ?? 0)
  }
  visit(document, {
    Pair: (_at, { key }) => {
      if (!isScalar(key) && !isAlias(key))
        refuse('yaml: a key must be a scalar', isMap(key) ? key.range?.[0] : undefined)
    },
    Scalar: (at, node) => {
      const offset = node.range?.[0]
      const found = resolved(node, (message) => refuse(`yaml: ${message}`, offset))
      if (found === undefined) return
      if (at === 'key') node.value = keyText(found, (message) => refuse(`yaml: ${message}`, offset))
      else if (typeof found === 'number' && !Number.isFinite(found))
        refuse(`json: unsupported value: ${goNumber(found)}`, offset)
      else node.value = typeof found === 'bigint' ? wholeJson(found) : found
    },
  })
  if (text.includes('*')) resolveAliases(document)
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
  if (lengthWithin(MAX_JSON_LENGTH, MAX_DEPTH, value) < 0) throw new YamlTextError(EXCESSIVE, 1, 1)
  return value
}

function placed(text: string, message: string, offset: number): YamlTextError {
  const { line, col } = linesOf(text).linePos(offset)
  return new YamlTextError(message, line, col)
}

/** The value that a scalar stands for; `undefined` for the `<<` of a merge, which the library reads. */
function resolved({ value, type, tag }: Scalar, refuse: (message: string) => never): YamlScalar | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return resolveScalar({ value, isPlain: type === Scalar.PLAIN, tag })
  } catch (error) {
    if (error instanceof YamlScalarError) return refuse(error.message)
    throw error
  }
}

function keyText(key: YamlScalar, refuse: (message: string) => never): string {
  if (key === null) return refuse('a key must not be null')
  if (typeof key === 'bigint' && !isInt64Text(String(key))) return refuse('a key must not be above 2^63 - 1')
  return typeof key === 'number' ? floatKey(key) : String(key)
}

function wholeJson(value: bigint): unknown {
  const plain = Number(value)
  return Number.isSafeInteger(plain) ? plain : rawNumber(String(value))
}

const goNumber = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

/** The rest of a length when a value is written; stops below 0. An alias shares what it names, but its JSON does not. */
function lengthWithin(length: number, depth: number, value: unknown): number {
  if (typeof value === 'string') return length - value.length - 1
  if (typeof value !== 'object' || value === null) return length - 1
  if (depth === 0) throw new YamlTextError(TOO_DEEP, 1, 1)
  let left = length - 1
  if (Array.isArray(value)) {
    for (const item of value) {
      left = lengthWithin(left, depth - 1, item)
      if (left < 0) return left
    }
    return left
  }
  for (const [key, item] of Object.entries(value)) {
    left = lengthWithin(left - key.length, depth - 1, item)
    if (left < 0) return left
  }
  return left
}
