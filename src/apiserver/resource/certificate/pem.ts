/** A block of a text in PEM. */
export interface PemBlock {
  readonly type: string
  /** Are there headers, such as `Proc-Type: 4,ENCRYPTED`? */
  readonly hasHeaders: boolean
  readonly bytes: Buffer
}

/** Where a block begins or ends: a line that says nothing else. */
const EDGE = /^-----(BEGIN|END) ([^\n]*?)-----[ \t\r]*$/gm
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Yields the blocks of a text in PEM, in the order and by the rules of Go's `pem.Decode`. A block without an end or
 * without base64 does not count. Text between blocks is ignored.
 */
export function* pemBlocks(text: string): Iterable<PemBlock> {
  let begun: { readonly type: string; readonly from: number } | undefined
  for (const { 0: whole, 1: word, 2: type = '', index } of text.matchAll(EDGE)) {
    if (word === 'BEGIN') begun = { type, from: index + whole.length }
    else if (begun !== undefined) {
      const block = begun.type === type ? blockOf(type, text.slice(begun.from, index)) : undefined
      begun = undefined
      if (block !== undefined) yield block
    }
  }
}

function blockOf(type: string, inside: string): PemBlock | undefined {
  const [, ...lines] = inside.split('\n')
  const first = lines.findIndex((line) => !line.includes(':'))
  const body = lines.slice(first).join('').replaceAll(/\s/g, '')
  if (first < 0 || !BASE64.test(body) || body.length % 4 !== 0) return undefined
  return { type, hasHeaders: first > 0, bytes: Buffer.from(body, 'base64') }
}
