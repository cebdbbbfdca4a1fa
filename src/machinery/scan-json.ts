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
 * Scans a JSON text without recursion for facts that `JSON.parse` does not give: duplicate keys, and errors in the words of
 * Go's `encoding/json` scanner.
 */
export const scanJson = (text: string, listener: ScanListener): void => new JsonScanner(text, listener).scan()

class JsonScanner {
  readonly #text: string
  readonly #listener: ScanListener
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string, listener: ScanListener) {
    this.#text = text
    this.#listener = listener
  }

  scan(): void {
    do {
      this.#skipSpace()
    } while (!this.#begins() || !this.#ends())
  }

  /** Reads a scalar or opens a container. Returns whether a value is complete now. */
  #begins(): boolean {
    const c = this.#text[this.#at] ?? ''
    if (c === '{' || c === '[') return this.#opens(c)
    if (c === '"') this.#string()
    else if (c === '-' || isDigit(c)) this.#number()
    else this.#word(WORDS[c] ?? '')
    return true
  }

  /** Opens a container. Returns whether it is empty and closed again. */
  #opens(c: '{' | '['): boolean {
    this.#at++
    this.#skipSpace()
    if (this.#text[this.#at] === (c === '{' ? '}' : ']')) {
      this.#at++
      return true
    }
    const container: Open = { keys: c === '{' ? new Set() : undefined, key: '', index: 0 }
    this.#open.push(container)
    if (c === '{') this.#key(container)
    return false
  }

  /** Continues after a complete value. Closes containers up to a comma or the end of the text. Returns whether it is the end. */
  #ends(): boolean {
    for (;;) {
      this.#skipSpace()
      const container = this.#open.at(-1)
      if (container === undefined) {
        if (this.#at < this.#text.length) this.#wrong('after top-level value')
        return true
      }
      const inObject = container.keys !== undefined
      if (this.#text[this.#at] === ',') {
        this.#at++
        container.index++
        this.#skipSpace()
        if (inObject) this.#key(container)
        return false
      }
      if (this.#text[this.#at] !== (inObject ? '}' : ']'))
        this.#wrong(inObject ? 'after object key:value pair' : 'after array element')
      this.#at++
      this.#open.pop()
    }
  }

  #key(container: Open): void {
    if (this.#text[this.#at] !== '"') this.#wrong('looking for beginning of object key string')
    const from = this.#at
    this.#string()
    container.key = String(JSON.parse(this.#text.slice(from, this.#at)))
    if (container.keys?.has(container.key)) this.#listener.duplicate?.(() => pathOf(this.#open))
    container.keys?.add(container.key)
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') this.#wrong('after object key')
    this.#at++
  }

  /** Moves from the opening quote to behind the closing one. */
  #string(): void {
    const text = this.#text
    let at = this.#at + 1
    for (;;) {
      while (isPlain(text.charCodeAt(at))) at++
      const c = text[at]
      this.#at = at
      if (c === '"') break
      if (c !== '\\') this.#wrong('in string literal')
      this.#escape()
      at = this.#at
    }
    this.#at++
  }

  /** Moves from the backslash to behind the escape. */
  #escape(): void {
    const escape = this.#text[++this.#at]
    if (escape === 'u') {
      for (let n = 0; n < 4; n++)
        if (!/[0-9a-fA-F]/.test(this.#text[++this.#at] ?? '')) this.#wrong('in \\u hexadecimal character escape')
    } else if (escape === undefined || !ESCAPED.includes(escape)) this.#wrong('in string escape code')
    this.#at++
  }

  #number(): void {
    if (this.#text[this.#at] === '-') this.#at++
    if (this.#text[this.#at] === '0') this.#at++
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at++
      this.#digits('after decimal point in numeric literal')
    }
    const exponent = this.#text[this.#at]
    if (exponent !== 'e' && exponent !== 'E') return
    const sign = this.#text[++this.#at]
    if (sign === '+' || sign === '-') this.#at++
    this.#digits('in exponent of numeric literal')
  }

  #digits(context: string): void {
    if (!isDigit(this.#text[this.#at])) this.#wrong(context)
    while (isDigit(this.#text[this.#at])) this.#at++
  }

  #word(expected: string): void {
    if (expected === '') this.#wrong('looking for beginning of value')
    for (let n = 1; n < expected.length; n++) {
      this.#at++
      if (this.#text[this.#at] !== expected[n]) this.#wrong(`in literal ${expected} (expecting '${expected[n]}')`)
    }
    this.#at++
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #wrong(context: string): never {
    return this.#at >= this.#text.length
      ? this.#listener.fail('unexpected end of JSON input', this.#text.length)
      : this.#listener.fail(`invalid character ${quoted(this.#text, this.#at)} ${context}`, this.#at)
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
