import { parseGoDuration } from '../../../machinery/go/duration.ts'
import { type ApiError, badRequest, timedOut } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { Action } from '../../auth/request/action.ts'

/** How long a request may take, and what is answered when it takes longer. */
export interface RequestTimeout {
  readonly ms: number
  readonly refusal: () => ApiError
}

const NANOS_PER_MS = 1_000_000
/** Upstream's `--request-timeout` by default. */
const READ: RequestTimeout = {
  ms: 60_000,
  refusal: () => timedOut('request did not complete within the allotted timeout'),
}
const notStored = (): ApiError =>
  timedOut('request did not complete within requested timeout - context deadline exceeded')
/** A write of one object has less time than others (upstream `requestTimeoutUpperBound`). */
const WRITE: RequestTimeout = { ms: 34_000, refusal: notStored }
const COLLECTION: RequestTimeout = { ms: READ.ms, refusal: notStored }

const BY_VERB: ReadonlyMap<string, RequestTimeout> = new Map([
  ['create', WRITE],
  ['update', WRITE],
  ['patch', WRITE],
  ['delete', WRITE],
  ['deletecollection', COLLECTION],
])
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'proxy', 'log', 'portforward'])

/**
 * The time of a request: what `?timeout=` says, where that is shorter than what its verb has anyway. Undefined for requests that
 * may last: watches and streams (upstream `WithRequestDeadline`). Throws 400 for a timeout that is not a duration.
 */
export function requestTimeout(
  { search, query }: Pick<Exchange, 'search' | 'query'>,
  action: Action,
): RequestTimeout | undefined {
  if (isLong(action)) return undefined
  const longest = (action.type === 'resource' ? BY_VERB.get(action.verb) : undefined) ?? READ
  const asked = search === '' ? '' : (query.get('timeout') ?? '')
  if (asked === '') return longest
  const nanos = parseGoDuration(asked)
  if (typeof nanos === 'string') throw badRequest(`invalid timeout specified in the request URL - ${nanos}`)
  const ms = Number(nanos) / NANOS_PER_MS
  return ms > 0 && ms < longest.ms ? { ...longest, ms } : longest
}

const isLong = (action: Action): boolean =>
  action.type === 'resource' &&
  (action.verb === 'watch' || action.verb === 'proxy' || LONG_SUBRESOURCES.has(action.subresource))
