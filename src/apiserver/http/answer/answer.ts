import { ApiError, internalError, type Status } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { negotiate, type Rendering } from '../../../runtime/http/media-type.ts'
import { warningHeaders, warningValues } from '../../../runtime/http/warning-headers.ts'
import type { Outcome } from '../../storing/outcome.ts'
import type { Resource } from '../../resource/registry.ts'
import { checkShape, metadataOnly, tableOf } from './table.ts'
import { yamlOf } from './yaml-answer.ts'

/** By the encoding. */
export const TYPES = { json: 'application/json', yaml: 'application/yaml' } as const

/** Answers with a JSON value, as JSON or YAML. */
export function answerValue(
  exchange: Exchange,
  code: number,
  value: unknown,
  encoding: Rendering['encoding'] = 'json',
  headers?: Headers,
): void {
  answerText(exchange, code, JSON.stringify(value), encoding, headers)
}

export type Headers = Readonly<Record<string, string | readonly string[]>>

export function answerText(
  exchange: Exchange,
  code: number,
  json: string,
  encoding: Rendering['encoding'],
  headers?: Headers,
): void {
  exchange.respond(code, TYPES[encoding], bodyBeside(headers, encoding === 'json' ? json : yamlOf(json)), headers)
}

/** Node writes headers in the encoding of a text that goes with them, and warnings are bytes already. */
const bodyBeside = (headers: Headers | undefined, text: string): string | Buffer =>
  headers?.['warning'] === undefined ? text : Buffer.from(text)

/** Answers with one object in the shape that the client asked for, and with warnings as headers. */
export function answerObject(
  exchange: Exchange,
  code: number,
  resource: Resource,
  outcome: Outcome,
  rendering: Rendering,
  now: number,
): void {
  const headers = warningHeaders(outcome.warnings ?? [])
  if (rendering.shape === 'object')
    return answerText(exchange, code, outcome.text ?? JSON.stringify(outcome.object), rendering.encoding, headers)
  checkShape(rendering, resource, false)
  const { resourceVersion } = outcome.object.metadata
  const value =
    rendering.shape === 'metadata'
      ? metadataOnly(outcome.object, rendering.version)
      : tableOf(
          resource,
          { objects: [outcome.object], count: 1 },
          { resourceVersion: resourceVersion ?? '' },
          now,
          exchange.query.get('includeObject'),
          rendering.version,
        )
  return answerValue(exchange, code, value, rendering.encoding, headers)
}

export function answerStatus(exchange: Exchange, status: Status): void {
  const seconds = status.details?.retryAfterSeconds
  answerValue(exchange, status.code, status, encodingOf(exchange), {
    ...warningHeaders(warningsOf.get(exchange) ?? []),
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
  })
}

/** The warnings for clients, also when the request fails in the end. */
const warningsOf = new WeakMap<Exchange, string[]>()

/** Collects the warnings of a request while it is handled. */
export function warnings(exchange: Exchange): {
  readonly collected: readonly string[]
  readonly warn: (message: string) => void
} {
  const list: string[] = []
  const warn = (message: string): void => {
    // Only now: to keep something of every exchange would cost the garbage collector more than all the rest of this.
    if (list.length === 0) warningsOf.set(exchange, list)
    list.push(message)
  }
  return { collected: list, warn }
}

/** Warns of a resource that is deprecated, whatever is answered. */
export function warnOfDeprecation(exchange: Exchange, { served: { deprecation = '' } }: Resource): void {
  for (const value of warningValues([deprecation])) exchange.append('warning', value)
}

/** Answers a failure in the encoding that the client accepts, or in JSON where it accepts none. */
function encodingOf({ headers }: Exchange): Rendering['encoding'] {
  if (headers.accept === undefined || !headers.accept.includes('yaml')) return 'json'
  try {
    return negotiate(headers.accept).encoding
  } catch {
    return 'json'
  }
}

/** Every failure ends as a Status; a bug rather than a refusal is reported without its inner text. */
export function answerError(exchange: Exchange, error: unknown, onBug: (error: unknown) => void): void {
  if (error instanceof ApiError) return answerStatus(exchange, error.status)
  onBug(error)
  return answerStatus(
    exchange,
    internalError('the server met a condition that it did not expect; its log says more').status,
  )
}
