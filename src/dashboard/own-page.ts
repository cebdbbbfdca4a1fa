import type { IncomingHttpHeaders } from 'node:http'
import { isKnownHost } from '../runtime/http/known-host.ts'

/** Where the dashboard is served. */
export interface Place {
  readonly host: string
  readonly scheme: 'http' | 'https'
  /** Further names of this machine. */
  readonly names: readonly string[]
}

/**
 * Does a request come from a page of the dashboard, or from no page? A page of another site may lead its own name here (DNS rebinding), or ask
 * from where it is: browsers then say which page asks.
 */
export function isFromOwnPage({ host, scheme, names }: Place, headers: IncomingHttpHeaders): boolean {
  const authority = headers.host ?? (headers[':authority'] as string | undefined)
  if (!isKnownHost(host, names, authority)) return false
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || origin.toLowerCase() === `${scheme}://${authority?.toLowerCase()}`
}
