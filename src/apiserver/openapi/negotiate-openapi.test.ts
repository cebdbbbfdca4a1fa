import { expect, test } from 'vitest'
import { negotiateOpenApiV2 } from './negotiate-openapi.ts'

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
