import { expect, test } from 'vitest'
import { demandOpenApiV3Json, negotiateOpenApiV2 } from './negotiate.ts'

const PROTOBUF = { encoding: 'protobuf', contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' }

test.each([
  ['kubectl', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ['a client that would take JSON too', 'application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf'],
  ['a client that uses the name without @', 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'],
])('OpenAPI v2 answers %s in protobuf, without the @ that no Content-Type may carry', (_, accept) => {
  expect(negotiateOpenApiV2(accept)).toEqual(PROTOBUF)
})

test.each([undefined, '', '*/*', 'application/json', 'application/json, */*'])(
  'OpenAPI v2 answers %s in JSON',
  (accept) => {
    expect(negotiateOpenApiV2(accept)).toEqual({ encoding: 'json', contentType: 'application/json' })
  },
)

test('OpenAPI v2 refuses other media types', () => {
  expect(() => negotiateOpenApiV2('text/html')).toThrow(/only the following media types are accepted/)
})

test.each([undefined, '', '*/*', 'application/*', 'text/html, application/json;q=0.1'])(
  'OpenAPI v3 is JSON for %s',
  (accept) => {
    expect(() => demandOpenApiV3Json(accept)).not.toThrow()
  },
)

test.each(['text/html', 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf'])(
  'OpenAPI v3 refuses %s',
  (accept) => {
    expect(() => demandOpenApiV3Json(accept)).toThrow(/only the following media types are accepted: application\/json$/)
  },
)
