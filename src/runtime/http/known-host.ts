import { isIP } from 'node:net'
import { isLoopback } from './listen-address.ts'

/**
 * Reports whether a server that listens on `listening` may answer a request with this Host. On a loopback address, a
 * page in a browser could have its own name lead to the server (DNS rebinding). So a Host must be an address or one of
 * `names`. It may be missing, because browsers always send it. On other addresses any name may lead to the server.
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
