import { expect, test } from 'vitest'
import { jsonBehindProtobuf } from './answer.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const METADATA = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

test.each([
  [PROTOBUF, 'application/json'],
  [`text/html, ${PROTOBUF}`, 'application/json'],
  [`${PROTOBUF};${METADATA}`, `application/json;${METADATA}`],
  [`${PROTOBUF};as=Table;v=v1;g=meta.k8s.io,${PROTOBUF}`, 'application/json'],
])('a client that accepts %s gets protobuf, made of %s', (accept, json) => {
  expect(jsonBehindProtobuf(accept)).toBe(json)
})

test.each([
  [undefined],
  ['*/*'],
  [`${PROTOBUF},application/json`],
  [`${PROTOBUF}, */*`],
  [`${PROTOBUF},application/yaml`],
  [`${PROTOBUF};as=Table;v=v1;g=meta.k8s.io`],
])('a client that accepts %s gets none', (accept) => {
  expect(jsonBehindProtobuf(accept)).toBeUndefined()
})
