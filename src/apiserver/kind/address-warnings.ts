import { isIP, SocketAddress } from 'node:net'
import { goQuote } from '../../machinery/go-quote.ts'

/** What to warn of in an address: IPv4 within IPv6, and IPv6 that is not spelled as RFC 5952 has it. */
export function addressWarnings(address: string, path: string): readonly string[] {
  if (isIP(address) !== 6) return []
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(spelled)?.[1]
  if (mapped !== undefined)
    return [
      `${path}: non-standard IP address ${goQuote(address)} will be considered invalid in a future Kubernetes release: use ${goQuote(mapped)}`,
    ]
  return spelled === address
    ? []
    : [`${path}: IPv6 address ${goQuote(address)} should be in RFC 5952 canonical format (${goQuote(spelled)})`]
}

/** The same of a range: what stands beyond the prefix should be nothing. */
export function rangeWarnings(range: string, path: string): readonly string[] {
  const [address = '', bits = ''] = range.trim().split('/')
  if (isIP(address) === 0) return []
  const start = networkOf(address, Number(bits))
  if (start === undefined || start === address) return []
  const [shown, better] = [goQuote(range), goQuote(`${start}/${bits}`)]
  return isIP(address) === 6 && samePlace(address, start)
    ? [`${path}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${better})`]
    : [
        `${path}: CIDR value ${shown} is ambiguous in this context (should be ${better} or ${goQuote(`${address}/${isIP(address) === 4 ? 32 : 128}`)}?)`,
      ]
}

const samePlace = (one: string, other: string): boolean =>
  new SocketAddress({ address: one, family: 'ipv6' }).address === other

/** The first address of the network that an address belongs to. */
function networkOf(address: string, bits: number): string | undefined {
  const groups = groupsOf(address)
  const width = isIP(address) === 4 ? 8 : 16
  if (!Number.isInteger(bits) || bits > groups.length * width) return undefined
  const masked = groups.map((group, index) => {
    const kept = Math.min(width, Math.max(0, bits - index * width))
    return group & (((1 << kept) - 1) << (width - kept))
  })
  if (width === 8) return masked.join('.')
  const text = masked.map((group) => group.toString(16)).join(':')
  return new SocketAddress({ address: text, family: 'ipv6' }).address
}

/** The numbers that an address consists of: 4 of 8 bits, or 8 of 16. */
function groupsOf(address: string): readonly number[] {
  if (isIP(address) === 4) return address.split('.').map(Number)
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const plain =
    dotted === null
      ? address
      : `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
  const [head = '', tail] = plain.split('::')
  const parts = (text: string): readonly number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16))
  const [left, right] = [parts(head), parts(tail ?? '')]
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}
