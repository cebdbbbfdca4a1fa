import { isIP } from 'node:net'
import { isLoopback } from './listen-address.ts'

/**
 * May a request with this Host be answered by a server that listens on `listening`? Where only this machine gets in, a page in a
 * browser could have its own name lead here (DNS rebinding): so a Host must be an address or one of `names`, or be missing, as no
 * browser leaves it out. Elsewhere any name may lead to the server.
 */
export function isKnownHost(listening: string, names: readonly string[], host: string | undefined): boolean {
  if (host === undefined || !isLoopback(listening)) return true
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
  // A name is not looked at as an address first: the pattern of addresses takes longer to compile than most requests.
  return name === 'localhost' || isIP(name) !== 0 || names.some((known) => known.toLowerCase() === name)
}
