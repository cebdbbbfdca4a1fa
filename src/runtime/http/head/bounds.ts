import { failure, type ApiError } from '../../../machinery/status.ts'
import type { Incoming } from '../message.ts'

/** The request line and all header fields together: a URL of 1 MiB, and half a mebibyte for the fields beside it. */
export const MAX_HEAD_BYTES = 1536 * 1024
export const MAX_HEADER_FIELDS = 2000
export const MAX_QUERY_PARAMETERS = 1000
/** How long a client may take for a head, from its first byte. */
export const HEAD_DEADLINE_MS = 30_000

/** Of HTTP/2: the request line as fields. */
export const PSEUDO_FIELDS = 4

const AMPERSAND = '&'

/** Why a head is refused before anything is done with it, as 431; undefined when it keeps to the bounds. */
export function headProblem({ url = '', rawHeaders }: Pick<Incoming, 'url' | 'rawHeaders'>): ApiError | undefined {
  if (rawHeaders.length / 2 > MAX_HEADER_FIELDS + (rawHeaders[0]?.startsWith(':') === true ? PSEUDO_FIELDS : 0))
    return headTooLarge(`the request has more than ${MAX_HEADER_FIELDS} header fields`)
  if (hasMoreParameters(url, MAX_QUERY_PARAMETERS))
    return headTooLarge(`the query of the request has more than ${MAX_QUERY_PARAMETERS} parameters`)
  return undefined
}

/** The refusal of a head that is longer than `MAX_HEAD_BYTES`. */
export const headTooLong = (): ApiError =>
  headTooLarge(`the request line and the header fields have more than ${MAX_HEAD_BYTES} bytes`)

const headTooLarge = (message: string): ApiError => failure(431, 'RequestHeaderFieldsTooLarge', message, {})

function hasMoreParameters(url: string, most: number): boolean {
  let count = 1
  for (let at = url.indexOf('?'); at >= 0 && count <= most; count++) {
    at = url.indexOf(AMPERSAND, at + 1)
    if (at < 0) return false
  }
  return count > most
}
