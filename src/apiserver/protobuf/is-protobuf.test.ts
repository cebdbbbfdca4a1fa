import { expect, test } from 'vitest'
import { isProtobuf } from './is-protobuf.ts'

test.each([
  ['application/vnd.kubernetes.protobuf', true],
  ['Application/Vnd.Kubernetes.Protobuf; charset=utf-8', true],
  ['application/json', false],
  ['', false],
  [undefined, false],
])('the content type %s announces protobuf: %s', (contentType, expected) => {
  expect(isProtobuf(contentType)).toBe(expected)
})
