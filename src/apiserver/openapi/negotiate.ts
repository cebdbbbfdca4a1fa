import { notAcceptable } from '../../machinery/status.ts'
import { parseMediaType } from '../../runtime/http/media-type.ts'

/** How to answer a request for `/openapi/v2`. */
export interface OpenApiV2Negotiation {
  readonly encoding: 'protobuf' | 'json'
  readonly contentType: string
}

const ASKED = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const ANSWERED = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const JSON_TYPE = 'application/json'

/**
 * Reads the Accept header of a request for `/openapi/v2`. Clients ask for protobuf with an `@` in the name, which no
 * Content-Type may carry. kubectl fails with any other encoding, so protobuf is chosen wherever it is named. Clients
 * that do not know of it get JSON. Throws 406 if no type can be honoured.
 */
export function negotiateOpenApiV2(accept: string | undefined): OpenApiV2Negotiation {
  const types = typesOf(accept)
  if (types.includes(ASKED) || types.includes(ANSWERED)) return { encoding: 'protobuf', contentType: ANSWERED }
  if (types.some(takesJson)) return { encoding: 'json', contentType: JSON_TYPE }
  throw notAcceptable([JSON_TYPE, ANSWERED])
}

/** Documents of OpenAPI v3 are there in JSON only: throws 406 for a client that does not take it. */
export function demandOpenApiV3Json(accept: string | undefined): void {
  if (!typesOf(accept).some(takesJson)) throw notAcceptable([JSON_TYPE])
}

const typesOf = (accept: string | undefined): readonly string[] =>
  (accept === undefined || accept.trim() === '' ? '*/*' : accept)
    .split(',')
    .map((clause) => parseMediaType(clause).type)

const takesJson = (type: string): boolean => type === JSON_TYPE || type === 'application/*' || type === '*/*'
