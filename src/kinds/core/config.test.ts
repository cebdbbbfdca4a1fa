import { describe, expect, test } from 'vitest'
import { objectOf, problems, stored, updateProblems } from '../../../test/apiserver/object-life.ts'

describe('configuration', () => {
  test('a secret holds what was written as text', () => {
    const object = stored('secrets', objectOf({ data: { a: 'QQ==', b: 'Qg==' }, stringData: { a: 'ü' } }))
    expect(object).toMatchObject({ type: 'Opaque', data: { a: 'w7w=', b: 'Qg==' } })
    expect(object).not.toHaveProperty('stringData')
  })

  test('a typed secret must hold its keys', () => {
    expect(problems('secrets', objectOf({ type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }))).toEqual([
      'data[tls.key]: Required value',
    ])
  })

  test('keys are file names', () => {
    expect(problems('configmaps', objectOf({ data: { 'a/b': '' } }))).toEqual([
      "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ])
  })

  test('one object holds a mebibyte', () => {
    expect(problems('configmaps', objectOf({ data: { a: 'é'.repeat(512 * 1024) } }))).toEqual([])
    expect(problems('configmaps', objectOf({ data: { a: 'é'.repeat(512 * 1024), b: 'x' } }))).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ])
  })

  test('immutable data does not change, and stays immutable', () => {
    const before = objectOf({ immutable: true, data: { a: '1' } })
    expect(updateProblems('configmaps', before, objectOf({ data: { a: '2' } }))).toEqual([
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ])
    expect(updateProblems('configmaps', before, before)).toEqual([])
  })

  test('the type of a secret stays', () => {
    expect(updateProblems('secrets', objectOf({}), objectOf({ type: 'example.com/x' }))).toEqual([
      'type: Invalid value: "example.com/x": field is immutable',
    ])
  })
})
