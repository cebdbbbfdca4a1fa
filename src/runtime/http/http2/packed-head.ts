import { unpackText } from './packed-text.ts'

const INDEX_OF_AUTHORIZATION = 23
const STATIC_FIELDS = 61

/** Text as it is packed: as it is, or by the lengths of its letters. */
interface Packed {
  readonly bytes: Buffer
  readonly isCoded: boolean
}

interface Field {
  readonly isAuthorization: boolean
  readonly value: Packed
}

/**
 * The value of `authorization` in the first block of headers of a connection, as HPACK (RFC 7541) packs it; undefined where there
 * is none, or it cannot be read. All other values are passed over.
 */
export function authorizationIn(block: Buffer): string | undefined {
  try {
    return new PackedHead(block).authorization()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

class PackedHead {
  readonly #block: Buffer
  #at = 0
  /** The fields that this block adds to the table, the last one first. */
  readonly #table: Field[] = []

  constructor(block: Buffer) {
    this.#block = block
  }

  authorization(): string | undefined {
    while (this.#at < this.#block.length) {
      const field = this.#field()
      if (field?.isAuthorization === true)
        return field.value.isCoded ? unpackText(field.value.bytes) : field.value.bytes.toString('latin1')
    }
    return undefined
  }

  #field(): Field | undefined {
    const first = this.#block.readUInt8(this.#at)
    if ((first & 0x80) !== 0) return this.#table[this.#number(7) - STATIC_FIELDS - 1]
    if ((first & 0xe0) === 0x20) {
      this.#number(5)
      return undefined
    }
    const isKept = (first & 0x40) !== 0
    const index = this.#number(isKept ? 6 : 4)
    const isAuthorization = index === 0 ? isName(this.#text()) : this.#isNamedByIndex(index)
    const field = { isAuthorization, value: this.#text() }
    if (isKept) this.#table.unshift(field)
    return field
  }

  #isNamedByIndex(index: number): boolean {
    return index === INDEX_OF_AUTHORIZATION || this.#table[index - STATIC_FIELDS - 1]?.isAuthorization === true
  }

  #text(): Packed {
    const isCoded = (this.#block.readUInt8(this.#at) & 0x80) !== 0
    const length = this.#number(7)
    const from = this.#at
    this.#at += length
    if (this.#at > this.#block.length) throw new RangeError('a text is longer than its block')
    return { bytes: this.#block.subarray(from, this.#at), isCoded }
  }

  /** A number whose first bits are the last ones of a byte. */
  #number(bits: number): number {
    const most = 2 ** bits - 1
    let value = this.#block.readUInt8(this.#at++) & most
    if (value < most) return value
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#block.readUInt8(this.#at++)
      value += (byte & 127) * factor
      if (value > this.#block.length) throw new RangeError('a number is larger than its block')
      if (byte < 128) return value
    }
  }
}

const isName = ({ bytes, isCoded }: Packed): boolean =>
  (isCoded ? unpackText(bytes) : bytes.toString('latin1')) === 'authorization'
