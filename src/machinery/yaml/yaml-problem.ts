/** What the parser found, in its own words. */
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
 * parser, and tells none for 0.
 */
export function wordedAsGo(text: string, { code, message, offset }: YamlProblem): string {
  const place = placeAt(text, offset)
  const rule = RULES.find((one) => one.of.test(`${code} ${message}`))
  const { says, at } = rule?.tell(place) ?? { says: message, at: place.line }
  return at > 0 ? `line ${at}: ${says}` : says
}

interface Told {
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

const scanner = (says: string, line: number): Told => ({ says, at: line > 1 ? line : 0 })
/** At the end of a text without a last line break the parser is a line further already. */
const parser = (says: string, { line, offset, text }: Place): Told => ({
  says,
  at: offset >= text.length && !text.endsWith('\n') ? line : line - 1,
})

const NO_TOKEN = 'found character that cannot start any token'
const NO_KEY = 'did not find expected key'
const NO_DASH = "did not find expected '-' indicator"
const NO_COLON = "could not find expected ':'"

const RULES: readonly { readonly of: RegExp; readonly tell: (place: Place) => Told }[] = [
  { of: /^TAB_AS_INDENT/, tell: tab },
  {
    of: /^BAD_INDENT Block scalar/,
    tell: ({ line }) => scanner('found a tab character where an indentation space is expected', line),
  },
  { of: /Flow map |between flow map items/, tell: (place) => parser("did not find expected ',' or '}'", place) },
  { of: /Flow sequence |between flow seq/, tell: (place) => parser("did not find expected ',' or ']'", place) },
  { of: /^MULTIPLE_/, tell: (place) => parser(NO_KEY, place) },
  { of: /Unexpected flow-/, tell: (place) => parser('did not find expected node content', place) },
  { of: /Missing closing/, tell: ({ line }) => scanner('found unexpected end of stream', line) },
  { of: /escape sequence \\[xuU]/, tell: ({ line }) => scanner('did not find expected hexdecimal number', line) },
  { of: /^BAD_DQ_ESCAPE/, tell: ({ line }) => scanner('found unknown escape character', line) },
  { of: /^BLOCK_AS_IMPLICIT_KEY/, tell: nestedMapping },
  { of: /^MULTILINE_IMPLICIT_KEY/, tell: multilineKey },
  { of: /^BAD_INDENT All mapping items/, tell: misplacedKey },
  { of: /^BAD_SCALAR_START/, tell: ({ line }) => scanner(NO_TOKEN, line) },
  { of: /directives-end/, tell: ({ line }) => scanner('found unknown directive name', line) },
  { of: /Block scalar header/, tell: ({ line }) => scanner('did not find expected comment or line break', line) },
  {
    of: /block-seq-ind on same line/,
    tell: ({ line }) => scanner('block sequence entries are not allowed in this context', line),
  },
  {
    of: /at node end/,
    tell: (place) => parser(place.before === '' && /^- /m.test(place.text) ? NO_DASH : NO_KEY, place),
  },
  { of: /^MISSING_CHAR Implicit map keys/, tell: ({ line }) => scanner(NO_COLON, line + 1) },
  {
    of: /Sequence item without/,
    tell: (place) => (/:(\s|$)/.test(place.whole) ? parser(NO_KEY, place) : scanner(NO_COLON, place.line + 1)),
  },
]

/** Behind a plain scalar a tab could still belong to it; elsewhere it begins something. */
function tab({ line, above }: Place): Told {
  const follows = /[^\s:"'\]}|>-]\s*$/.test(above)
  return scanner(follows ? 'found a tab character that violates indentation' : NO_TOKEN, line)
}

/** It is the second colon that surprises. */
function nestedMapping({ text, offset, line }: Place): Told {
  const colon = /:(?:\s|$)/.exec(text.slice(offset))
  const further = colon === null ? 0 : text.slice(offset, offset + colon.index).split('\n').length - 1
  return scanner('mapping values are not allowed in this context', line + further)
}

function multilineKey(place: Place): Told {
  if (place.text.startsWith('- ', place.offset)) return parser(NO_KEY, place)
  return place.before.trim() === '' && place.above !== '' ? scanner(NO_COLON, place.line + 1) : nestedMapping(place)
}

function misplacedKey(place: Place): Told {
  if (/^ *\t/.test(place.whole)) return tab(place)
  const indent = /^ */.exec(place.whole)?.[0] ?? ''
  return parser(place.above.startsWith(`${indent}- `) ? NO_DASH : NO_KEY, place)
}
