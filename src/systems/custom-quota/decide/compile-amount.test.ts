import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import { JsonPathError } from '../../../machinery/jsonpath/json-path-error.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { sumOf } from './compile-amount.ts'

interface Case {
  readonly name: string
  readonly input?: string
  readonly path?: string
  readonly object?: unknown
  readonly wantEqual?: string
  readonly expectErrorContains?: string
  readonly expectErrorContainsAny?: readonly string[]
}

const FILE = 'capsule/quantity-parse-quantities.json'
const CAPSULE = { strictPaths: true }

// Paths are read elsewhere; these two are plain chains of keys.
function textAt(object: unknown, path: string): string {
  const value = path
    .split('.')
    .slice(1)
    .reduce<unknown>((parent, key) => Object(parent)[key], object)
  return typeof value === 'string' ? value : ''
}

function expectSum({
  input,
  path = '',
  object,
  wantEqual,
  expectErrorContains,
  expectErrorContainsAny = [],
}: Case): void {
  const text = input ?? textAt(object, path)
  if (wantEqual !== undefined) {
    expect(sumOf(text, CAPSULE).equals(Quantity.parse(wantEqual))).toBe(true)
    return
  }
  expect(() => sumOf(text, CAPSULE)).toThrow(JsonPathError)
  // The words of the product, where those of the reference are of its inner function.
  expect(() => sumOf(text, CAPSULE)).toThrow('quantity path did not resolve to any value')
  expect([expectErrorContains, ...expectErrorContainsAny]).toContain('no quantity values found')
}

eachCase(FILE, vectors<{ readonly cases: readonly Case[] }>(FILE).cases, ({ name }) => name, expectSum)

test('a sum names the first token that is not a quantity', () => {
  expect(() => sumOf('1 2x 3y', CAPSULE)).toThrow('invalid quantity "2x"')
})

test('a sum has the format of its first amount that is not zero', () => {
  expect(sumOf('0 1Gi 1Gi', CAPSULE).toString()).toBe('2Gi')
})

test('no text at all is 0, unless paths are strict', () => {
  expect(sumOf('', { strictPaths: false }).isZero()).toBe(true)
})
