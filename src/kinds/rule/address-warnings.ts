import { goQuote } from '../../machinery/go/quote.ts'
import { IpPrefix, ipAddressOf, isMapped } from '../../machinery/ip-address.ts'

/** Returns the warnings about an address: IPv4 within IPv6, and IPv6 that is not in the form of RFC 5952. */
export function addressWarnings(address: string, path: string): readonly string[] {
  const ip = ipAddressOf(address)
  if (ip?.family !== 6) return []
  if (isMapped(ip))
    return [
      `${path}: non-standard IP address ${goQuote(address)} will be considered invalid in a future Kubernetes release: use ${goQuote(ip.bytes.slice(12).join('.'))}`,
    ]
  const spelled = ip.toString()
  return spelled === address
    ? []
    : [`${path}: IPv6 address ${goQuote(address)} should be in RFC 5952 canonical format (${goQuote(spelled)})`]
}

/** The same of a range: what stands beyond the prefix should be nothing. */
export function rangeWarnings(range: string, path: string): readonly string[] {
  const [address = '', bits = ''] = range.trim().split('/')
  const ip = ipAddressOf(address)
  if (ip === undefined || !/^\d+$/.test(bits)) return []
  const width = ip.bytes.length * 8
  if (Number(bits) > width) return []
  const start = new IpPrefix(ip, Number(bits)).masked().address
  if (start.toString() === address) return []
  const [shown, better] = [goQuote(range), goQuote(`${start.toString()}/${bits}`)]
  return ip.family === 6 && ip.equals(start)
    ? [`${path}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${better})`]
    : [
        `${path}: CIDR value ${shown} is ambiguous in this context (should be ${better} or ${goQuote(`${address}/${width}`)}?)`,
      ]
}
