/**
 * Does the text stand for an IPv4 address? `sloppy` tolerates leading zeros, which Go's `net.ParseIP` did before 1.17 and
 * Kubernetes still does.
 */
export function isIPv4(text: string, sloppy: boolean): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => isOctet(part, sloppy))
}

function isOctet(text: string, sloppy: boolean): boolean {
  return /^\d+$/.test(text) && Number(text) <= 255 && (sloppy || text === '0' || !text.startsWith('0'))
}

/** Does the text stand for an IPv6 address, without a zone? The last 32 bits may be written as IPv4. */
export function isIPv6(text: string, sloppy: boolean): boolean {
  if (!text.includes(':')) return false
  const gap = text.indexOf('::')
  if (gap === -1) return groups(text, sloppy) === 8
  const left = text.slice(0, gap)
  const right = text.slice(gap + 2)
  if (right.includes('::') || right.startsWith(':') || left.includes('.')) return false
  const before = left === '' ? 0 : groups(left, sloppy)
  const after = right === '' ? 0 : groups(right, sloppy)
  return before >= 0 && after >= 0 && before + after < 8
}

/** How many 16-bit groups the text has; -1 when it is not made of groups. */
function groups(text: string, sloppy: boolean): number {
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const endsInIPv4 = last.includes('.')
  if (endsInIPv4 && !isIPv4(last, sloppy)) return -1
  const plain = endsInIPv4 ? parts.slice(0, -1) : parts
  return plain.every((part) => /^[0-9A-Fa-f]{1,4}$/.test(part)) ? plain.length + (endsInIPv4 ? 2 : 0) : -1
}

/** `ipv4`: an address with dots, so that IPv6 with an embedded IPv4 address passes too, as upstream. */
export function isDottedAddress(text: string): boolean {
  return text.includes('.') && (isIPv4(text, true) || isIPv6(text, true))
}

/** `cidr`: an address and the length of its prefix. */
export function isCidr(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/')
  if (length === undefined || rest.length > 0 || !/^\d+$/.test(length)) return false
  if (isIPv4(address, true)) return Number(length) <= 32
  return isIPv6(address, true) && Number(length) <= 128
}

/** `mac`: 6, 8 or 20 bytes, as Go's `net.ParseMAC` takes them. */
export function isMac(text: string): boolean {
  const separator = text[2] === ':' || text[2] === '-' ? text[2] : '.'
  const parts = text.split(separator)
  if (separator !== '.') return [6, 8, 20].includes(parts.length) && parts.every((part) => /^[\dA-Fa-f]{2}$/.test(part))
  if (parts.length === 1) return [12, 16, 40].includes(text.length) && /^[\dA-Fa-f]+$/.test(text)
  return [3, 4, 10].includes(parts.length) && parts.every((part) => /^[\dA-Fa-f]{4}$/.test(part))
}

/** `hostname`: labels of letters, digits, symbols and dashes; several only before a last one of letters alone. */
export function isHostname(text: string): boolean {
  const labels = text.split('.')
  const last = labels.at(-1) ?? ''
  const isFormed =
    labels.length === 1
      ? /^[\dA-Za-z\p{S}\p{L}](?:-?[\dA-Za-z\p{S}\p{L}]{0,62})$/u.test(last)
      : /^[A-Za-z\p{L}]{2,63}$/u.test(last) && labels.slice(0, -1).every((label) => isHostLabel(label))
  if (!isFormed) return false
  const bytes = new TextEncoder()
  return bytes.encode(text).length <= 255 && labels.every((label) => bytes.encode(label).length <= 63)
}

const isHostLabel = (text: string): boolean =>
  /^[\dA-Za-z\p{S}\p{L}](?:[-\dA-Za-z\p{S}\p{L}]{0,61}[\dA-Za-z\p{S}\p{L}])?$/u.test(text)

/** `uri`: an absolute URI or an absolute path, as Go's `url.ParseRequestURI` takes it. */
export function isRequestUri(text: string): boolean {
  if (text === '' || /\p{Cc}/u.test(asAscii(text))) return false
  if (text === '*') return true
  if (text.startsWith(':')) return false
  const scheme = /^[A-Za-z][-+.\dA-Za-z]*:/.exec(text)?.[0] ?? ''
  const [rest = ''] = text.slice(scheme.length).split('?', 1)
  if (!rest.startsWith('/')) return scheme !== ''
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return isEscaped(rest)
  // Without a scheme `//host/path` still names a host, unless a request's first line says otherwise.
  if (scheme === '') return isEscaped(rest)
  const slash = rest.indexOf('/', 2)
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash)
  return isAuthority(authority, /^https?:$/i.test(scheme)) && isEscaped(slash === -1 ? '' : rest.slice(slash))
}

/** Control characters beyond ASCII are bytes like any other to Go. */
const asAscii = (text: string): string => text.replaceAll(/[\x80-\x9f]/g, '')

const isEscaped = (text: string): boolean => !/%(?![\dA-Fa-f]{2})/.test(text)

/** Go is strict about colons in the hosts of `http` and `https` only. */
function isAuthority(text: string, strict: boolean): boolean {
  const at = text.lastIndexOf('@')
  if (at !== -1 && (!/^[-\w.:~!$&'()*+,;=%@]*$/.test(text.slice(0, at)) || !isEscaped(text.slice(0, at)))) return false
  const host = text.slice(at + 1)
  if (host.startsWith('[')) {
    const [, address = '', port] = /^\[([^\]]*)\]((?::\d*)?)$/.exec(host) ?? []
    const [plain = '', ...zone] = address.split('%25')
    return port !== undefined && isIPv6(plain, false) && isHostText(zone.join(''))
  }
  const colon = strict ? host.indexOf(':') : host.lastIndexOf(':')
  return (colon === -1 || /^:\d*$/.test(host.slice(colon))) && isHostText(host)
}

/** ASCII that needs no escape in a host, escapes of bytes beyond ASCII, and those bytes themselves. */
const isHostText = (text: string): boolean =>
  /^(?:[-\w.~!$&'()*+,;=:<>"]|[^\0-\x7f]|%[89A-Fa-f][\dA-Fa-f]|%25)*$/.test(text)
