import { expect, test } from 'vitest'
import { negotiate, parseMediaType } from './media-type.ts'

test('a media type is read with its parameters, whatever their case and quotes', () => {
  expect(parseMediaType('Application/JSON; As="Table";v=v1 ;g=meta.k8s.io')).toEqual({
    type: 'application/json',
    parameters: { as: 'Table', v: 'v1', g: 'meta.k8s.io' },
  })
})

test.each([
  [undefined, 'json', 'object'],
  ['', 'json', 'object'],
  ['*/*', 'json', 'object'],
  ['application/*', 'json', 'object'],
  ['application/json', 'json', 'object'],
  ['application/yaml', 'yaml', 'object'],
  ['text/html,application/yaml,*/*', 'yaml', 'object'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json', 'table'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'json', 'table'],
  ['application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'yaml', 'metadata'],
  ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', 'json', 'metadata-list'],
  ['application/json;q=0.1,application/yaml;q=0.9', 'yaml', 'object'],
  ['application/json;as=Table,application/yaml', 'yaml', 'object'],
  ['application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io,application/json', 'json', 'object'],
  ['application/json;as=Table;v=v1;g=other.test,application/json', 'json', 'object'],
])('Accept %j is answered as %s, %s', (accept, encoding, shape) => {
  expect(negotiate(accept)).toMatchObject({ encoding, shape })
})

test.each([
  ['text/plain', '406: Not Acceptable'],
  ['application/cbor', '406: Not Acceptable'],
  [
    'application/vnd.kubernetes.protobuf',
    'only the following media types are accepted: application/json, application/yaml',
  ],
  [
    'application/json;as=Chair',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
])('Accept %s is refused with 406: %s', (accept, message) => {
  expect(() => negotiate(accept)).toThrow(expect.objectContaining({ message }))
})
