import type { Exchange } from '../../../runtime/http/exchange.ts'
import { demandOpenApiV3Json, negotiateOpenApiV2 } from '../../openapi/negotiate.ts'
import type { OpenApi, OpenApiText } from '../../openapi/openapi.ts'
import { openApiV3Url } from '../../openapi/v3.ts'
import { answerText } from '../answer/answer.ts'
import { PathNotFound } from '../answer/path-not-found.ts'

const PROTO_TYPE = 'application/octet-stream'

/** Answers `/openapi/<rest>`. Throws PathNotFound, and 406 when there is nothing in an encoding that the client takes. */
export async function answerOpenApi(exchange: Exchange, openApi: OpenApi, rest: string, now: number): Promise<void> {
  if (rest === 'v2') return answerV2(exchange, openApi)
  if (rest === 'v3' || rest.startsWith('v3/')) await openApi.prepare('v3')
  if (rest === 'v3') return answerDocument(exchange, openApi.v3Index())
  const path = rest.startsWith('v3/') ? rest.slice(3) : ''
  const document = openApi.v3(path)
  if (document === undefined) throw new PathNotFound()
  demandOpenApiV3Json(exchange.headers.accept)
  const hash = exchange.query.get('hash') ?? ''
  if (hash === '') return answerDocument(exchange, document)
  // The document of a URL with its hash never changes, so clients keep it; an outdated URL redirects to the current one.
  if (hash === document.hash)
    return answerDocument(exchange, document, { 'cache-control': 'public, immutable', expires: aYearAfter(now) })
  answerText(exchange, 301, '', 'json', { ...headersOf(document), location: openApiV3Url(path, document.hash) })
}

async function answerV2(exchange: Exchange, openApi: OpenApi): Promise<void> {
  const { encoding } = negotiateOpenApiV2(exchange.headers.accept)
  await openApi.prepare(encoding === 'json' ? 'v2' : 'v2Protobuf')
  if (encoding === 'json') return answerDocument(exchange, openApi.v2Json())
  const { body, hash } = openApi.v2Protobuf()
  exchange.respond(200, PROTO_TYPE, Buffer.from(body), headersOf({ hash }))
}

function answerDocument(
  exchange: Exchange,
  document: OpenApiText,
  headers: Readonly<Record<string, string>> = {},
): void {
  answerText(exchange, 200, document.body, 'json', { ...headersOf(document), ...headers })
}

const headersOf = ({ hash }: { readonly hash: string }) => ({ etag: `"${hash}"`, vary: 'Accept' })

function aYearAfter(now: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toUTCString()
}
