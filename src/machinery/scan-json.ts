/** The callbacks of the scanner. `fail` must throw; `duplicate` receives a key that its object holds again, and may ask for its path. */
export interface ScanListener {
  fail(message: string, offset: number): never
  duplicate?(path: () => string): void
}

/** An object or list that is still open. */
interface Open {
  readonly keys: Set<string> | undefined
  key: string
  index: number
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }
const ESCAPED = '"\\/bfnrt'

/**
 * Walks a JSON text without recursion, for what `JSON.parse` does not say: which key came twice, and what is wrong in
 * the words of Go's `encoding/json` scanner.
 */
export function scanJson(text: string, listener: ScanListener): void {
  const open: Open[] = []
  let at = 0

  const wrong = (context: string): never =>
    at >= text.length
      ? listener.fail('unexpected end of JSON input', text.length)
      : listener.fail(`invalid character ${quoted(text, at)} ${context}`, at)
  // No sticky regular expression: V8 14.6 (Maglev) loses writes to a captured variable that mirrors `lastIndex`.
  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(at))) at++
  }
  const digits = (context: string): void => {
    if (!isDigit(text[at])) wrong(context)
    while (isDigit(text[at])) at++
  }

  /** Stands on the opening quote; goes behind the closing one. */
  function string(): void {
    for (at++; ;) {
      while (isPlain(text.charCodeAt(at))) at++
      const c = text[at]
      if (c === '"') break
      if (c !== '\\') wrong('in string literal')
      const escape = text[++at]
      if (escape === 'u') {
        for (let n = 0; n < 4; n++)
          if (!/[0-9a-fA-F]/.test(text[++at] ?? '')) wrong('in \\u hexadecimal character escape')
      } else if (escape === undefined || !ESCAPED.includes(escape)) wrong('in string escape code')
      at++
    }
    at++
  }

  function number(): void {
    if (text[at] === '-') at++
    if (text[at] === '0') at++
    else digits('in numeric literal')
    if (text[at] === '.') {
      at++
      digits('after decimal point in numeric literal')
    }
    if (text[at] === 'e' || text[at] === 'E') {
      at++
      if (text[at] === '+' || text[at] === '-') at++
      digits('in exponent of numeric literal')
    }
  }

  function key(container: Open): void {
    if (text[at] !== '"') wrong('looking for beginning of object key string')
    const from = at
    string()
    container.key = String(JSON.parse(text.slice(from, at)))
    if (container.keys?.has(container.key)) listener.duplicate?.(() => pathOf(open))
    container.keys?.add(container.key)
    skipSpace()
    if (text[at] !== ':') wrong('after object key')
    at++
  }

  /** Reads a scalar or opens a container; says whether a value is now complete. */
  function begin(): boolean {
    const c = text[at] ?? ''
    if (c === '{' || c === '[') {
      at++
      skipSpace()
      const container: Open = { keys: c === '{' ? new Set() : undefined, key: '', index: 0 }
      if (text[at] === (c === '{' ? '}' : ']')) {
        at++
        return true
      }
      open.push(container)
      if (c === '{') key(container)
      return false
    }
    if (c === '"') string()
    else if (c === '-' || isDigit(c)) number()
    else word(WORDS[c] ?? '')
    return true
  }

  function word(expected: string): void {
    if (expected === '') wrong('looking for beginning of value')
    for (let n = 1; n < expected.length; n++) {
      at++
      if (text[at] !== expected[n]) wrong(`in literal ${expected} (expecting '${expected[n]}')`)
    }
    at++
  }

  for (;;) {
    skipSpace()
    let complete = begin()
    while (complete) {
      skipSpace()
      const container = open.at(-1)
      if (container === undefined) {
        if (at < text.length) wrong('after top-level value')
        return
      }
      const inObject = container.keys !== undefined
      if (text[at] === ',') {
        at++
        container.index++
        skipSpace()
        if (inObject) key(container)
        complete = false
      } else if (text[at] === (inObject ? '}' : ']')) {
        at++
        open.pop()
      } else wrong(inObject ? 'after object key:value pair' : 'after array element')
    }
  }
}

function pathOf(open: readonly Open[]): string {
  let path = ''
  for (const { keys, key, index } of open) {
    if (keys === undefined) path += `[${index}]`
    else path += path === '' ? key : `.${key}`
  }
  return path
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** May a string hold this UTF-16 unit as it is? The end of the text is NaN and may not. */
function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c
}

function isDigit(c: string | undefined): boolean {
  return c !== undefined && c >= '0' && c <= '9'
}

/** Go prints the offending byte: of a character beyond ASCII it shows the first byte of its UTF-8 form. */
function quoted(text: string, at: number): string {
  const point = text.codePointAt(at) ?? 0
  if (point === 0x27) return String.raw`'\''`
  if (point === 0x22) return `'"'`
  if (point === 0x5c) return String.raw`'\\'`
  if (point < 0x20 || point === 0x7f) {
    const named = new Map([
      [7, 'a'],
      [8, 'b'],
      [9, 't'],
      [10, 'n'],
      [11, 'v'],
      [12, 'f'],
      [13, 'r'],
    ]).get(point)
    return named === undefined ? `'\\x${point.toString(16).padStart(2, '0')}'` : `'\\${named}'`
  }
  if (point < 0x80) return `'${String.fromCodePoint(point)}'`
  const first = point < 0x800 ? 0xc0 | (point >> 6) : point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18)
  return `'${String.fromCodePoint(first)}'`
}
