/** A problem that the parser found, in its own words. */
export interface YamlProblem {
  /** Such as `TAB_AS_INDENT`. */
  readonly code: string
  readonly message: string
  /** Where in the text. */
  readonly offset: number
}

/**
 * A problem as Go's YAML library reports it, for instance `line 2: found character that cannot start any token`. That one
 * reads token by token, so it often stumbles elsewhere; and it counts lines from 1 in its scanner, but from 0 in its
 * parser, and prints no line for 0.
 */
export function wordedAsGo(text: string, { code, message, offset }: YamlProblem): string {
  const place = placeAt(text, offset)
  const rule = RULES.find((one) => one.of.test(`${code} ${message}`))
  const { says, at } = rule?.word(place) ?? wordedAlready(code, message, place)
  return at > 0 ? `line ${at}: ${says}` : says
}

/** A problem of a directive has Go's words from the start. */
function wordedAlready(code: string, message: string, place: Place): Wording {
  if (code === 'SCANNED_DIRECTIVE') return scanner(message, place.line)
  return code === 'PARSED_DIRECTIVE' ? parser(message, place) : { says: message, at: place.line }
}

interface Wording {
  readonly says: string
  /** 0 for no line. */
  readonly at: number
}

interface Place {
  readonly text: string
  readonly offset: number
  /** From 1. */
  readonly line: number
  /** The line up to the place, and all of it. */
  readonly before: string
  readonly whole: string
  /** The last line above that has anything. */
  readonly above: string
}

function placeAt(text: string, offset: number): Place {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const lines = text.slice(0, start).split('\n').slice(0, -1)
  return {
    text,
    offset,
    line: lines.length + 1,
    before: text.slice(start, offset),
    whole: text.slice(start, end < 0 ? text.length : end),
    above: lines.findLast((one) => one.trim() !== '') ?? '',
  }
}

const scanner = (says: string, line: number): Wording => ({ says, at: line > 1 ? line : 0 })
/** At the end of a text without a last line break the parser is a line further already. */
const parser = (says: string, { line, offset, text }: Place): Wording => ({
  says,
  at: offset >= text.length && !text.endsWith('\n') ? line : line - 1,
})

const NO_TOKEN = 'found character that cannot start any token'
const NO_KEY = 'did not find expected key'
const NO_DASH = "did not find expected '-' indicator"
const NO_COLON = "could not find expected ':'"

const RULES: readonly { readonly of: RegExp; readonly word: (place: Place) => Wording }[] = [
  { of: /^TAB_AS_INDENT/, word: tab },
  {
    of: /^BAD_INDENT Block scalar/,
    word: ({ line }) => scanner('found a tab character where an indentation space is expected', line),
  },
  { of: /Flow map |between flow map items/, word: (place) => parser("did not find expected ',' or '}'", place) },
  { of: /Flow sequence |between flow seq/, word: (place) => parser("did not find expected ',' or ']'", place) },
  { of: /^MULTIPLE_/, word: (place) => parser(NO_KEY, place) },
  { of: /Unexpected flow-/, word: (place) => parser('did not find expected node content', place) },
  { of: /Missing closing/, word: ({ line }) => scanner('found unexpected end of stream', line) },
  { of: /escape sequence \\[xuU]/, word: ({ line }) => scanner('did not find expected hexdecimal number', line) },
  { of: /^NO_CHARACTER/, word: ({ line }) => scanner('found invalid Unicode character escape code', line) },
  { of: /^BAD_DQ_ESCAPE/, word: ({ line }) => scanner('found unknown escape character', line) },
  { of: /^BLOCK_AS_IMPLICIT_KEY/, word: nestedMapping },
  { of: /^MULTILINE_IMPLICIT_KEY/, word: multilineKey },
  { of: /^BAD_INDENT All mapping items/, word: misplacedKey },
  { of: /^BAD_SCALAR_START/, word: ({ line }) => scanner(NO_TOKEN, line) },
  { of: /Could not resolve tag/, word: (place) => parser('found undefined tag handle', place) },
  { of: /%TAG directive should/, word: ({ line }) => scanner('did not find expected whitespace', line) },
  { of: /directives-end/, word: (place) => parser('did not find expected <document start>', place) },
  { of: /Block scalar header/, word: ({ line }) => scanner('did not find expected comment or line break', line) },
  {
    of: /block-seq-ind on same line/,
    word: ({ line }) => scanner('block sequence entries are not allowed in this context', line),
  },
  {
    of: /at node end/,
    word: (place) => parser(place.before === '' && /^- /m.test(place.text) ? NO_DASH : NO_KEY, place),
  },
  { of: /^MISSING_CHAR Implicit map keys/, word: ({ line }) => scanner(NO_COLON, line + 1) },
  {
    of: /Sequence item without/,
    word: (place) => (/:(\s|$)/.test(place.whole) ? parser(NO_KEY, place) : scanner(NO_COLON, place.line + 1)),
  },
]

/** Behind a plain scalar a tab could still belong to it; elsewhere it begins something. */
function tab({ line, above }: Place): Wording {
  const follows = /[^\s:"'\]}|>-]\s*$/.test(above)
  return scanner(follows ? 'found a tab character that violates indentation' : NO_TOKEN, line)
}

/** It is the second colon that surprises. */
function nestedMapping({ text, offset, line }: Place): Wording {
  const colon = /:(?:\s|$)/.exec(text.slice(offset))
  const further = colon === null ? 0 : text.slice(offset, offset + colon.index).split('\n').length - 1
  return scanner('mapping values are not allowed in this context', line + further)
}

function multilineKey(place: Place): Wording {
  if (place.text.startsWith('- ', place.offset)) return parser(NO_KEY, place)
  return place.before.trim() === '' && place.above !== '' ? scanner(NO_COLON, place.line + 1) : nestedMapping(place)
}

function misplacedKey(place: Place): Wording {
  if (/^ *\t/.test(place.whole)) return tab(place)
  const indent = /^ */.exec(place.whole)?.[0] ?? ''
  return parser(place.above.startsWith(`${indent}- `) ? NO_DASH : NO_KEY, place)
}
