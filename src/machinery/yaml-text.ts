import { isAlias, isMap, isScalar, LineCounter, parseAllDocuments, parseDocument, visit } from 'yaml'
import type { Document, ParseOptions, DocumentOptions, SchemaOptions } from 'yaml'
import { MAX_DEPTH } from './json-text.ts'
import { rawNumber } from './json-value.ts'
import { wordedAsGo } from './yaml-problem.ts'

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

/** What the library throws, as a plain error and only when the value is made, of a `<<` that names no map. */
const NO_MERGE = 'Merge sources must be maps or map aliases'
const MERGE_NEEDS_MAPS = 'map merge requires map or sequence of maps as the value'

const TOO_DEEP = 'yaml: exceeded max depth'

/** Kubernetes reads YAML 1.1 with its booleans and octals, but without base-60 numbers, dates and binary as types. */
const UNKNOWN_TAGS: ReadonlySet<string> = new Set([
  'tag:yaml.org,2002:timestamp',
  'tag:yaml.org,2002:binary',
  'tag:yaml.org,2002:omap',
  'tag:yaml.org,2002:pairs',
  'tag:yaml.org,2002:set',
])

const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  merge: true,
  uniqueKeys: false,
  intAsBigInt: true,
  logLevel: 'silent',
  customTags: (tags) =>
    tags.filter(
      (tag) => typeof tag === 'string' || !(UNKNOWN_TAGS.has(tag.tag) || ('format' in tag && tag.format === 'TIME')),
    ),
}

/**
 * Parses the first document of a YAML text into the shapes of `parseJson`: plain objects with string keys, and numbers
 * without losing a digit. Throws `YamlTextError`.
 */
export function parseYaml(text: string): unknown {
  const first = firstDocument(text)
  return guarded(text, (lines) => toJson(first, parseDocument(first, { ...OPTIONS, lineCounter: lines }), lines))
}

/** All documents of a YAML text, as `parseYaml` gives them; empty documents are left out. */
export function parseYamlDocuments(text: string): readonly unknown[] {
  return guarded(text, (lines) => {
    const documents = parseAllDocuments(text, { ...OPTIONS, lineCounter: lines })
    return Array.isArray(documents)
      ? documents
          .filter((one) => one.contents !== null && one.contents.range[1] > one.contents.range[0])
          .map((one) => toJson(text, one, lines))
      : []
  })
}

/** The keys that a YAML text sets twice, as `line 5: key "replicas" already set in map`. Throws `YamlTextError`. */
export function duplicateYamlKeys(text: string): readonly string[] {
  return guarded(text, (lines) => {
    const found: { readonly line: number; readonly name: string }[] = []
    const document = parseDocument(firstDocument(text), { ...OPTIONS, lineCounter: lines })
    visit(document, {
      Map: (_at, map) => {
        const seen = new Set<string>()
        for (const { key } of map.items) {
          if (!isScalar(key)) continue
          const name = String(key.value)
          if (seen.has(name)) found.push({ line: lines.linePos(key.range?.[0] ?? 0).line, name })
          seen.add(name)
        }
      },
    })
    return found
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, name }) => `line ${line}: key ${JSON.stringify(name)} already set in map`)
  })
}

function guarded<T>(text: string, work: (lines: LineCounter) => T): T {
  try {
    return work(new LineCounter())
  } catch (error) {
    if (error instanceof RangeError) throw new YamlTextError(TOO_DEEP, 1, 1)
    if (error instanceof ReferenceError) throw new YamlTextError(aliasProblem(error.message), 1, 1)
    if (error instanceof Error && error.message === NO_MERGE) throw new YamlTextError(`yaml: ${MERGE_NEEDS_MAPS}`, 1, 1)
    throw error
  }
}

function aliasProblem(message: string): string {
  const name = /Unresolved alias .*: (.*)$/.exec(message)?.[1]
  return `yaml: ${name === undefined ? 'document contains excessive aliasing' : `unknown anchor '${name}' referenced`}`
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

function toJson(text: string, document: Document.Parsed, lines: LineCounter): unknown {
  const [problem] = document.errors
  if (problem !== undefined) {
    const at = problem.linePos?.[0] ?? { line: 1, col: 1 }
    if (problem.message.includes('call stack')) throw new YamlTextError(TOO_DEEP, at.line, at.col)
    const message = problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? ''
    const told = wordedAsGo(text, { code: problem.code, message, offset: problem.pos[0] })
    throw new YamlTextError(`yaml: ${told}`, at.line, at.col)
  }
  const refuse = (message: string, offset: number | undefined): never => {
    const { line, col } = lines.linePos(offset ?? 0)
    throw new YamlTextError(message, line, col)
  }
  visit(document, {
    Pair: (_at, { key }) => {
      if (isScalar(key)) {
        if (key.value === null) refuse('yaml: a key must not be null', key.range?.[0])
      } else if (!isAlias(key)) refuse('yaml: a key must be a scalar', isMap(key) ? key.range?.[0] : undefined)
    },
    Scalar: (at, node) => {
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        refuse(`json: unsupported value: ${goNumber(node.value)}`, node.range?.[0])
      if (at === 'key') {
        if (typeof node.value === 'bigint') node.value = String(node.value)
      } else node.value = exactNumber(node.value, node.source)
    },
  })
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
  if (isDeeperThan(MAX_DEPTH, value)) throw new YamlTextError(TOO_DEEP, 1, 1)
  return value
}

const goNumber = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return limit === 0 || Object.values(value).some((item) => isDeeperThan(limit - 1, item))
}

function exactNumber(value: unknown, source: string | undefined): unknown {
  if (typeof value === 'bigint') {
    const plain = Number(value)
    return Number.isSafeInteger(plain) ? plain : rawNumber(String(value))
  }
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(source) ? rawNumber(source) : value
}
