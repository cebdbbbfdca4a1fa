import { IpAddress, ipAddressOf, IpPrefix, isIP, isMapped } from '../../machinery/ip-address.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'

export const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** The text must be an address of either family. */
export const validateIP = (ip: string, path: string): readonly FieldError[] =>
  isIP(ip) === 0 ? [invalid(path, ip, IP_TEXT)] : []

/** An address and how many of its bits are the network's; undefined for a text that is neither. */
export function cidrOf(text: string): IpPrefix | undefined {
  const [address = '', bits = '', ...rest] = text.split('/')
  const ip = ipAddressOf(address)
  if (ip === undefined || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined
  return Number(bits) <= ip.bytes.length * 8 ? new IpPrefix(ip, Number(bits)) : undefined
}

export const isCIDR = (text: string): boolean => cidrOf(text) !== undefined

export const validateCIDR = (text: string, path: string): readonly FieldError[] =>
  isCIDR(text) ? [] : [invalid(path, text, CIDR_TEXT)]

/** Ranges that nobody can serve from, and how messages call them. */
const SPECIAL: readonly { readonly has: (address: IpAddress) => boolean; readonly text: (ip: string) => string }[] = [
  { has: (address) => address.isUnspecified, text: (ip) => `may not be unspecified (${ip})` },
  { has: (address) => address.isLoopback, text: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  {
    has: (address) => address.isLinkLocalUnicast,
    text: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    has: (address) => address.isLinkLocalMulticast,
    text: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
]

/** Addresses of endpoints and of services from outside (core `ValidateNonSpecialIP`). */
export function validateOrdinaryIP(ip: string, path: string): readonly FieldError[] {
  const read = isIP(ip) === 0 ? undefined : ipAddressOf(ip)
  if (read === undefined) return [invalid(path, ip, 'must be a valid IP address')]
  // Go looks into an IPv4 address that is written as one of IPv6.
  const address = isMapped(read) ? new IpAddress(read.bytes.slice(12)) : read
  return SPECIAL.filter(({ has }) => has(address)).map(({ text }) => invalid(path, ip, text(ip)))
}
