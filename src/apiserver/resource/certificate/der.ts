/** An element of ASN.1 in its distinguished encoding. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** The element itself: tag, length and content. */
  readonly whole: Buffer
}

/** The elements that stand one after another, as far as they are whole. */
export function derElements(bytes: Buffer = Buffer.alloc(0)): readonly DerElement[] {
  const found: DerElement[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const first = bytes.readUInt8(at + 1)
    const more = first < 0x80 ? 0 : first & 0x7f
    if (more > 4 || at + 2 + more > bytes.length) break
    const length = more === 0 ? first & 0x7f : bytes.readUIntBE(at + 2, more)
    const start = at + 2 + more
    if (start + length > bytes.length) break
    found.push({
      tag: bytes.readUInt8(at),
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    })
    at = start + length
  }
  return found
}

/** The elements, if there is nothing else; undefined where bytes are left over. */
export function allDerElements(bytes: Buffer): readonly DerElement[] | undefined {
  const found = derElements(bytes)
  const length = found.reduce((sum, { whole }) => sum + whole.length, 0)
  return length === bytes.length ? found : undefined
}
