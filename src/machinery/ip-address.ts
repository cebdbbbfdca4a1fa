import { goQuote } from './go/quote.ts'

/** Thrown by the readers here; the messages are those of Go's `net/netip`. */
export class IpSyntaxError extends Error {
  override readonly name = 'IpSyntaxError'
}

/** An IPv4 or IPv6 address. */
export class IpAddress {
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[]

  constructor(bytes: readonly number[]) {
    this.bytes = bytes
  }

  get family(): 4 | 6 {
    return this.bytes.length === 4 ? 4 : 6
  }

  equals(other: IpAddress): boolean {
    return this.bytes.length === other.bytes.length && this.bytes.every((byte, at) => byte === other.bytes[at])
  }

  get isUnspecified(): boolean {
    return this.bytes.every((byte) => byte === 0)
  }

  get isLoopback(): boolean {
    if (this.family === 4) return this.bytes[0] === 127
    return this.bytes.every((byte, at) => byte === (at === 15 ? 1 : 0))
  }

  get isLinkLocalUnicast(): boolean {
    const [first = 0, second = 0] = this.bytes
    return this.family === 4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80
  }

  get isLinkLocalMulticast(): boolean {
    const [first = 0, second = 0, third = 0] = this.bytes
    return this.family === 4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 2
  }

  get isGlobalUnicast(): boolean {
    const [first = 0] = this.bytes
    const multicast = this.family === 4 ? (first & 0xf0) === 0xe0 : first === 0xff
    const broadcast = this.family === 4 && this.bytes.every((byte) => byte === 255)
    return !(multicast || broadcast || this.isUnspecified || this.isLoopback || this.isLinkLocalUnicast)
  }

  /** The canonical text (RFC 5952). */
  toString(): string {
    if (this.family === 4) return this.bytes.join('.')
    const groups = Array.from({ length: 8 }, (_, at) => (this.bytes[2 * at] ?? 0) * 256 + (this.bytes[2 * at + 1] ?? 0))
    const { start, length } = longestZeros(groups)
    const hex = (from: number, to: number): string =>
      groups
        .slice(from, to)
        .map((group) => group.toString(16))
        .join(':')
    return length < 2 ? hex(0, 8) : `${hex(0, start)}::${hex(start + length, 8)}`
  }
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}

/** An address with the length of a prefix. The address keeps the bits behind it. */
export class IpPrefix {
  readonly address: IpAddress
  readonly bits: number

  constructor(address: IpAddress, bits: number) {
    this.address = address
    this.bits = bits
  }

  /** With the bits behind the prefix cleared. */
  masked(): IpPrefix {
    const bytes = this.address.bytes.map(
      (byte, at) => byte & (0xff << (8 - Math.min(8, Math.max(0, this.bits - 8 * at)))),
    )
    return new IpPrefix(new IpAddress(bytes.map((byte) => byte & 0xff)), this.bits)
  }

  contains(address: IpAddress): boolean {
    return (
      address.family === this.address.family &&
      new IpPrefix(address, this.bits).masked().address.equals(this.masked().address)
    )
  }

  containsPrefix(other: IpPrefix): boolean {
    return this.bits <= other.bits && this.contains(other.address)
  }

  equals(other: IpPrefix): boolean {
    return this.bits === other.bits && this.address.equals(other.address)
  }

  toString(): string {
    return `${this.address.toString()}/${this.bits}`
  }
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** Is it an IPv4 address in IPv6's clothes, `::ffff:1.2.3.4`? Kubernetes takes none. */
export const isMapped = ({ bytes }: IpAddress): boolean =>
  bytes.length === 16 && MAPPED.every((byte, at) => byte === bytes[at])

/** Reads an address; a zone is given back aside. Throws `IpSyntaxError`. */
export function parseIp(text: string): { readonly address: IpAddress; readonly zone: string } {
  const shown = goQuote(text)
  const fail = (why: string): never => {
    throw new IpSyntaxError(`ParseAddr(${shown}): ${why}`)
  }
  const first = /[.:%]/.exec(text)?.[0]
  if (first === '.') return { address: new IpAddress(parseIpv4(text, fail)), zone: '' }
  if (first === '%') fail('missing IPv6 address')
  if (first === undefined) fail('unable to parse IP')
  const percent = text.indexOf('%')
  const zone = percent < 0 ? '' : text.slice(percent + 1)
  if (percent >= 0 && zone === '') fail('zone must be a non-empty string')
  return { address: new IpAddress(parseIpv6(percent < 0 ? text : text.slice(0, percent), fail)), zone }
}

/** The address that a text without a zone stands for; undefined where it stands for none. */
export function ipAddressOf(text: string): IpAddress | undefined {
  try {
    const { address, zone } = parseIp(text)
    return zone === '' ? address : undefined
  } catch (error) {
    if (error instanceof IpSyntaxError) return undefined
    throw error
  }
}

/** The family of an address without a zone, and 0 for every other text. */
export const isIP = (text: string): 0 | 4 | 6 => ipAddressOf(text)?.family ?? 0

type Fail = (why: string) => never

function parseIpv4(text: string, fail: Fail): readonly number[] {
  const fields = text.split('.')
  for (const field of fields) {
    const bad = /[^0-9]/.exec(field)
    if (bad !== null) fail(`unexpected character (at ${goQuote(text.slice(text.indexOf(bad[0])))})`)
    if (field === '') fail(`IPv4 field must have at least one digit (at ${goQuote(text.slice(emptyAt(text)))})`)
    if (field.length > 1 && field.startsWith('0')) fail('IPv4 field has octet with leading zero')
    if (Number(field) > 255) fail('IPv4 field has value >255')
  }
  if (fields.length > 4) fail('IPv4 address too long')
  if (fields.length < 4) fail('IPv4 address too short')
  return fields.map(Number)
}

/** The dot that has no digit on one of its sides. */
function emptyAt(text: string): number {
  if (text.startsWith('.')) return 0
  const twice = text.indexOf('..')
  return twice < 0 ? text.length - 1 : twice + 1
}

function parseIpv6(text: string, fail: Fail): readonly number[] {
  const bytes: number[] = []
  let rest = text
  let ellipsis = -1
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
  }
  while (rest !== '' && bytes.length < 16) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
    if (digits.length > 4) fail(`each group must have 4 or less digits (at ${goQuote(rest)})`)
    if (digits === '') fail(`each colon-separated field must have at least one digit (at ${goQuote(rest)})`)
    if (rest[digits.length] === '.') {
      if (ellipsis < 0 && bytes.length !== 12)
        fail(`embedded IPv4 address must replace the final 2 fields of the address (at ${goQuote(rest)})`)
      if (bytes.length + 4 > 16)
        fail(`too many hex fields to fit an embedded IPv4 at the end of the address (at ${goQuote(rest)})`)
      bytes.push(...parseIpv4(rest, fail))
      rest = ''
      break
    }
    const group = Number.parseInt(digits, 16)
    bytes.push(group >> 8, group & 0xff)
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (!rest.startsWith(':')) fail(`unexpected character, want colon (at ${goQuote(rest)})`)
    if (rest === ':') fail(`colon must be followed by more characters (at ${goQuote(rest)})`)
    rest = rest.slice(1)
    if (!rest.startsWith(':')) continue
    if (ellipsis >= 0) fail(`multiple :: in address (at ${goQuote(rest)})`)
    ellipsis = bytes.length
    rest = rest.slice(1)
  }
  if (rest !== '') fail(`trailing garbage after address (at ${goQuote(rest)})`)
  if (bytes.length === 16) {
    if (ellipsis >= 0) fail('the :: must expand to at least one field of zeros')
    return bytes
  }
  if (ellipsis < 0) fail('address string too short')
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0)
  return [...bytes.slice(0, ellipsis), ...zeros, ...bytes.slice(ellipsis)]
}

/** Reads `address/bits`. Throws `IpSyntaxError`. */
export function parsePrefix(text: string): IpPrefix {
  const fail = (why: string): never => {
    throw new IpSyntaxError(`netip.ParsePrefix(${goQuote(text)}): ${why}`)
  }
  const slash = text.lastIndexOf('/')
  if (slash < 0) fail("no '/'")
  const bits = text.slice(slash + 1)
  const { address, zone } = addressOf(text.slice(0, slash), fail)
  if (zone !== '') fail('IPv6 zones cannot be present in a prefix')
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) fail(`bad bits after slash: ${goQuote(bits)}`)
  if (Number(bits) > address.bytes.length * 8) fail('prefix length out of range')
  return new IpPrefix(address, Number(bits))
}

function addressOf(text: string, fail: Fail): { readonly address: IpAddress; readonly zone: string } {
  try {
    return parseIp(text)
  } catch (error) {
    if (error instanceof IpSyntaxError) return fail(error.message)
    throw error
  }
}
