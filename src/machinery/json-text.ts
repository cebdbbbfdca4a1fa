import { rawNumber } from './json-value.ts'
import { scanJson } from './scan-json.ts'

/** A text that is not JSON. The message is worded as Go's `encoding/json` words it; `offset` counts UTF-16 units. */
export class JsonTextError extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonTextError'
    this.offset = offset
  }
}

/**
 * How deep values may nest. Upstream stops at 10,000, but with the stack that Node has, a reviver, `structuredClone`
 * and every recursive walk overflow well before.
 */
export const MAX_DEPTH = 1000

/** Upstream collects no more than this many complaints of one object. */
const MAX_COMPLAINTS = 100
const MAX_PATHS = 1000

interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
}

/** The reviver's third argument is ECMAScript's "JSON.parse source text access", which the library types lack. */
const withSource = JSON as SourceJson

/** A number in the place of a value that has a fraction, an exponent or too many digits; may also hit inside a string. */
const INEXACT = /(?:"\s*:|[,[]|^)\s*-?(?:\d{16}|\d{1,15}[.eE])/

/**
 * Parses JSON without losing a digit: a number that `String(Number(text))` would not spell alike becomes a `RawNumber`
 * (see json-value.ts), every other one is a plain number. Throws `JsonTextError`.
 */
export function parseJson(text: string, options: { readonly maxDepth?: number } = {}): unknown {
  const maxDepth = options.maxDepth ?? MAX_DEPTH
  if (text.length > maxDepth) refuseDepth(text, maxDepth)
  try {
    const whole = SURROGATE.test(text) ? withoutHalves(text) : text
    return INEXACT.test(whole) ? withSource.parse(whole, keepExact) : JSON.parse(whole)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    scanJson(text, {
      fail: (message, offset) => {
        throw new JsonTextError(message, offset)
      },
    })
    throw new JsonTextError(error.message, 0)
  }
}

/**
 * Returns the fields that a JSON text holds more than once, as `duplicate field "spec.containers[0].name"`. Each is
 * returned once, at most 100. Strict field validation adds them to the unknown fields. Throws `JsonTextError`.
 * @param value the value of the text, if it is known. A text that `JSON.stringify` would write holds no field twice,
 * and writing it takes a quarter of the time of a search
 */
export function duplicateFields(text: string, value?: unknown): readonly string[] {
  if (value !== undefined && JSON.stringify(value) === text) return []
  const found = new Set<string>()
  let seen = 0
  scanJson(text, {
    fail: (message, offset) => {
      throw new JsonTextError(message, offset)
    },
    duplicate: (path) => {
      // Counted before equal ones are left out, because to build long paths for each of them costs.
      if (found.size < MAX_COMPLAINTS && seen++ < MAX_PATHS) found.add(`duplicate field "${path()}"`)
    },
  })
  return [...found]
}

/** An escape that may be half of a character, and every escape, in pairs where two make a whole. */
const SURROGATE = /\\u[dD][89a-fA-F]/
const ESCAPES = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^u])/g

/** Half a character that stands alone becomes the sign for what cannot be shown, as Go has it. */
function withoutHalves(text: string): string {
  return text.replaceAll(ESCAPES, (escape) => (escape.length === 6 && SURROGATE.test(escape) ? '\\ufffd' : escape))
}

function keepExact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value
  const source = context.source
  return source === undefined || String(value) === source ? value : rawNumber(source)
}

function refuseDepth(text: string, maxDepth: number): void {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) throw new JsonTextError('exceeded max depth', at)
    } else if (code === 0x7d || code === 0x5d) depth--
  }
}
