import { ipAddressOf, IpPrefix, isIP } from '../../machinery/ip-address.ts'
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

/** Ranges that nobody can serve from, as addresses of four parts and of six begin, and how messages call them. */
const SPECIAL: readonly { readonly of: RegExp; readonly text: (ip: string) => string }[] = [
  { of: /^(?:0\.0\.0\.0|[0:]+)$/, text: (ip) => `may not be unspecified (${ip})` },
  { of: /^(?:127\.|(?:0*:)*:?0*1$)/, text: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)' },
  { of: /^(?:169\.254\.|fe[89ab])/i, text: () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)' },
  {
    of: /^(?:224\.0\.0\.|ff[0-9a-f]2:)/i,
    text: () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
]

/** Addresses of endpoints and of services from outside (core `ValidateNonSpecialIP`). */
export function validateOrdinaryIP(ip: string, path: string): readonly FieldError[] {
  if (isIP(ip) === 0) return [invalid(path, ip, 'must be a valid IP address')]
  return SPECIAL.filter(({ of }) => of.test(ip)).map(({ text }) => invalid(path, ip, text(ip)))
}
