import { Cursor } from './cursor.ts'
import { rawNumber } from '../json-value.ts'
import { JsonPathError } from './json-path-error.ts'
import type { ListNode, PathNode, Template } from './json-path-syntax.ts'
import { unquote } from './unquote.ts'

/** Brackets and filters are templates themselves; no useful one nests deeper. */
const MAX_NESTING = 16

const TERMINATORS: ReadonlySet<string | undefined> = new Set([undefined, ...' \t\r\n.,[]$@{}'.split('')])
const DIGIT = /^\p{Nd}/u
const WORD = /^[\p{L}\p{Nd}_]/u
const VISIBLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/
const QUOTED_KEY = /^'([^']*)'$/
const COMPARISON = /^([^!<>=]+)([!<>=]+)([^\n]+)$/

/**
 * Parses a whole template, as client-go's `jsonpath.Parse` does.
 * @throws JsonPathError (`parse`) with client-go's text.
 */
export function parseTemplate(text: string): Template {
  return parse(text, 0)
}

function parse(text: string, nesting: number): Template {
  if (nesting > MAX_NESTING) throw new JsonPathError('limit', `filters are nested more than ${MAX_NESTING} deep`)
  const cursor = new Cursor(text)
  const template: Template[number][] = []
  for (;;) {
    const brace = text.indexOf('{', cursor.position)
    cursor.position = brace === -1 ? text.length : brace
    const literal = cursor.take()
    if (literal !== '') template.push({ type: 'text', text: literal })
    if (cursor.atEnd) return template
    cursor.skip(1)
    template.push({ type: 'list', nodes: parseAction(cursor, nesting) })
  }
}

/** Parses `text` as the inside of braces; whatever follows a closing brace in it is parsed and dropped, as upstream. */
function parseInner(text: string, nesting: number): ListNode {
  const first = parse(`{${text}}`, nesting + 1)[0]
  return first?.type === 'list' ? first : { type: 'list', nodes: [] }
}

function parseAction(cursor: Cursor, nesting: number): readonly PathNode[] {
  const nodes: PathNode[] = []
  while (!cursor.sees('}')) {
    if (cursor.sees('[?(')) nodes.push(parseFilter(cursor, nesting))
    else if (cursor.sees('..')) parseRecursive(cursor, nodes)
    else parseNode(cursor, nodes, nesting)
  }
  cursor.skip(1)
  return nodes
}

function parseNode(cursor: Cursor, nodes: PathNode[], nesting: number): void {
  const char = cursor.peek()
  if (char === undefined || char === '\r' || char === '\n') throw failure('unclosed action')
  if (char === ' ' || char === '@' || char === '$') cursor.skip(1)
  else if (char === '[') for (const node of parseBrackets(cursor, nesting)) nodes.push(node)
  else if (char === '"' || char === "'") nodes.push(parseQuoted(cursor, char))
  else if (char === '.') {
    cursor.skip(1)
    nodes.push(parseField(cursor))
  } else if (char === '+' || char === '-' || DIGIT.test(char)) nodes.push(parseNumber(cursor))
  else if (WORD.test(char)) nodes.push(parseIdentifier(cursor))
  else throw failure(`unrecognized character in action: ${unicode(char)}`)
}

function parseRecursive(cursor: Cursor, nodes: PathNode[]): void {
  if (nodes.at(-1)?.type === 'recursive') throw failure('invalid multiple recursive descent')
  cursor.skip(2)
  nodes.push({ type: 'recursive' })
  if (WORD.test(cursor.peek() ?? '')) nodes.push(parseField(cursor))
}

function parseField(cursor: Cursor): PathNode {
  while (!TERMINATORS.has(cursor.peek())) {
    if (cursor.next() === '\\') cursor.next()
  }
  const name = cursor.take()
  return name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') }
}

function parseIdentifier(cursor: Cursor): PathNode {
  while (!TERMINATORS.has(cursor.peek())) cursor.next()
  const name = cursor.take()
  if (name === 'true' || name === 'false') return { type: 'literal', value: name === 'true' }
  return { type: 'identifier', name }
}

function parseNumber(cursor: Cursor): PathNode {
  cursor.next()
  while (cursor.peek() === '.' || DIGIT.test(cursor.peek() ?? '')) cursor.next()
  const text = cursor.take()
  const token = text.startsWith('+') ? text.slice(1) : text
  if (/^-?\d+$/.test(token)) {
    const value = BigInt(token)
    if (value === BigInt.asIntN(64, value)) {
      return { type: 'literal', value: Number.isSafeInteger(Number(value)) ? Number(value) : value }
    }
  }
  const value = Number(token)
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(token) || !Number.isFinite(value)) throw failure(`cannot parse number ${text}`)
  return { type: 'literal', value: Number.isInteger(value) ? rawNumber(value.toExponential()) : value }
}

function parseQuoted(cursor: Cursor, quote: string): PathNode {
  cursor.next()
  for (;;) {
    const char = cursor.next()
    if (char === undefined || char === '\n') throw failure('unterminated quoted string')
    if (char === quote && !cursor.afterBackslash()) break
  }
  const quoted = cursor.take()
  const text = unquote(quoted)
  if (text === undefined) throw failure(`unquote string ${quoted} error invalid syntax`)
  return { type: 'text', text }
}

function parseBrackets(cursor: Cursor, nesting: number): readonly PathNode[] {
  for (;;) {
    const char = cursor.next()
    if (char === undefined || char === '\n') throw failure('unterminated array')
    if (char === ']') break
  }
  const inside = cursor.take().slice(1, -1)
  const parts = inside.split(',')
  if (parts.length > 1) {
    return [{ type: 'union', lists: parts.map((part) => parseInner(`[${trimSpaces(part)}]`, nesting)) }]
  }
  const key = QUOTED_KEY.exec(inside)?.[1]
  return key === undefined ? [parseSlice(inside === '*' ? ':' : inside)] : parseInner(`.${key}`, nesting).nodes
}

function parseSlice(text: string): PathNode {
  const match = SLICE.exec(text)
  if (match === null) throw failure(`invalid array index ${text}`)
  const [, from, to, step] = match
  return {
    type: 'array',
    from: bound(from),
    to: bound(to?.slice(1)),
    step: bound(step?.slice(1)),
    single: to === undefined,
  }
}

function bound(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (text === '-' || BigInt(text) !== BigInt.asIntN(64, BigInt(text))) {
    throw failure(`array index ${text} is not a number`)
  }
  return Number(text)
}

/** The filter ends at the first `)` that is not between the first quote and the next one like it. */
function parseFilter(cursor: Cursor, nesting: number): PathNode {
  cursor.skip('[?('.length)
  let quote: string | undefined
  let closed = false
  for (;;) {
    const char = cursor.next()
    if (char === undefined || char === '\n') throw failure('unterminated filter')
    if (char === ')' && (quote === undefined || closed)) break
    if (char !== '"' && char !== "'") continue
    if (quote === undefined) quote = char
    else if (char === quote && !cursor.afterBackslash()) closed = true
  }
  if (cursor.next() !== ']') throw failure('unclosed array expect ]')
  const text = cursor.take().slice(0, -2)
  const [, left, operator, right] = COMPARISON.exec(text) ?? []
  if (left === undefined || operator === undefined || right === undefined) {
    return { type: 'filter', left: parseInner(text, nesting), operator: 'exists', right: { type: 'list', nodes: [] } }
  }
  return { type: 'filter', left: parseInner(left, nesting), operator, right: parseInner(right, nesting) }
}

function trimSpaces(text: string): string {
  return text.replace(/^ +/, '').replace(/ +$/, '')
}

/** As Go's `%#U` prints a character. */
function unicode(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return VISIBLE.test(char) ? `U+${code} '${char}'` : `U+${code}`
}

function failure(message: string): JsonPathError {
  return new JsonPathError('parse', message)
}
