import type { Library, Overload } from './declaration.ts'
import { cidr, free, ip, member, text } from './declaration.ts'
import { BOOL, CIDR, INT, IP, STRING } from '../types/cel-type.ts'
import { Failure, noSuchOverload } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import { goQuote } from '../../machinery/go/quote.ts'
import { IpSyntaxError, isMapped, parseIp, parsePrefix } from '../../machinery/ip-address.ts'
import type { IpAddress, IpPrefix } from '../../machinery/ip-address.ts'

function readIp(value: string): IpAddress | Failure {
  try {
    const { address, zone } = parseIp(value)
    if (zone !== '') return new Failure(`IP address ${goQuote(value)} with zone value is not allowed`)
    return isMapped(address) ? new Failure(`IPv4-mapped IPv6 address ${goQuote(value)} is not allowed`) : address
  } catch (error) {
    if (!(error instanceof IpSyntaxError)) throw error
    return new Failure(`IP Address ${goQuote(value)} parse error during conversion from string: ${error.message}`)
  }
}

const CANNOT = 'network address parse error during conversion from string: '

function readCidr(value: string): IpPrefix | Failure {
  try {
    const prefix = parsePrefix(value)
    if (!isMapped(prefix.address)) return prefix
    return new Failure(`${CANNOT}IPv4-mapped IPv6 address ${goQuote(value)} is not allowed`)
  } catch (error) {
    if (!(error instanceof IpSyntaxError)) throw error
    return new Failure(CANNOT + CANNOT + error.message)
  }
}

const question = (id: string, ask: (address: IpAddress) => boolean): readonly Overload[] => [
  member(id, [ip], BOOL, ([address]) => ask(address)),
]

function isCanonical(value: string): Result {
  const address = readIp(value)
  return address instanceof Failure ? address : address.toString() === value
}

// An invalid address is answered as if its type were wrong.
function containsIp(prefix: IpPrefix, address: IpAddress | Failure): Result {
  return address instanceof Failure ? noSuchOverload : prefix.contains(address)
}

function containsCidr(prefix: IpPrefix, other: IpPrefix | Failure): Result {
  return other instanceof Failure ? other : prefix.containsPrefix(other)
}

/** `ip`, `cidr` and what is read off them. */
export const networks: Library = [
  [
    'ip',
    [
      free('string_to_ip', [text], IP, ([value]) => readIp(value)),
      member('cidr_ip', [cidr], IP, ([prefix]) => prefix.address),
    ],
  ],
  ['isIP', [free('is_ip', [text], BOOL, ([value]) => !(readIp(value) instanceof Failure))]],
  ['ip.isCanonical', [free('ip_is_canonical', [text], BOOL, ([value]) => isCanonical(value))]],
  ['family', [member('ip_family', [ip], INT, ([address]) => BigInt(address.family))]],
  ['isUnspecified', question('ip_is_unspecified', (address) => address.isUnspecified)],
  ['isLoopback', question('ip_is_loopback', (address) => address.isLoopback)],
  ['isLinkLocalMulticast', question('ip_is_link_local_multicast', (address) => address.isLinkLocalMulticast)],
  ['isLinkLocalUnicast', question('ip_is_link_local_unicast', (address) => address.isLinkLocalUnicast)],
  ['isGlobalUnicast', question('ip_is_global_unicast', (address) => address.isGlobalUnicast)],
  ['cidr', [free('string_to_cidr', [text], CIDR, ([value]) => readCidr(value))]],
  ['isCIDR', [free('is_cidr', [text], BOOL, ([value]) => !(readCidr(value) instanceof Failure))]],
  [
    'containsIP',
    [
      member('cidr_contains_ip_string', [cidr, text], BOOL, ([prefix, value]) => containsIp(prefix, readIp(value))),
      member('cidr_contains_ip_ip', [cidr, ip], BOOL, ([prefix, address]) => containsIp(prefix, address)),
    ],
  ],
  [
    'containsCIDR',
    [
      member('cidr_contains_cidr_string', [cidr, text], BOOL, ([prefix, value]) =>
        containsCidr(prefix, readCidr(value)),
      ),
      member('cidr_contains_cidr', [cidr, cidr], BOOL, ([prefix, other]) => containsCidr(prefix, other)),
    ],
  ],
  ['prefixLength', [member('cidr_prefix_length', [cidr], INT, ([prefix]) => BigInt(prefix.bits))]],
  ['masked', [member('cidr_masked', [cidr], CIDR, ([prefix]) => prefix.masked())]],
  [
    'string',
    [
      free('ip_to_string', [ip], STRING, ([address]) => address.toString()),
      free('cidr_to_string', [cidr], STRING, ([prefix]) => prefix.toString()),
    ],
  ],
]
