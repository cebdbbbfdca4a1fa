/** A position in a template that moves by code points; `undefined` stands for the end of the text. */
export class Cursor {
  readonly text: string
  position = 0
  #start = 0

  constructor(text: string) {
    this.text = text
  }

  get atEnd(): boolean {
    return this.position >= this.text.length
  }

  peek(): string | undefined {
    const code = this.text.codePointAt(this.position)
    return code === undefined ? undefined : String.fromCodePoint(code)
  }

  next(): string | undefined {
    const char = this.peek()
    if (char !== undefined) this.position += char.length
    return char
  }

  sees(prefix: string): boolean {
    return this.text.startsWith(prefix, this.position)
  }

  /** Was the character that `next` gave last, one of one code unit, preceded by a backslash? */
  afterBackslash(): boolean {
    return this.text[this.position - 2] === '\\'
  }

  /** Moves over `length` code units and forgets them. */
  skip(length: number): void {
    this.position += length
    this.#start = this.position
  }

  /** The text since the last `take` or `skip`. */
  take(): string {
    const taken = this.text.slice(this.#start, this.position)
    this.#start = this.position
    return taken
  }
}
