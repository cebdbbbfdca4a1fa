import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { Quantity, QuantityError } from './quantity.ts'
import { sumQuantities } from './sum-quantities.ts'

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
    expect(sumQuantities(text).equals(Quantity.parse(wantEqual))).toBe(true)
    return
  }
  expect(() => sumQuantities(text)).toThrow(QuantityError)
  expect(() => sumQuantities(text)).toThrow('no quantity values found')
  expect([expectErrorContains, ...expectErrorContainsAny]).toContain('no quantity values found')
}

eachCase(FILE, vectors<{ readonly cases: readonly Case[] }>(FILE).cases, ({ name }) => name, expectSum)

test('a sum names the first token that is not a quantity', () => {
  expect(() => sumQuantities('1 2x 3y')).toThrow(expect.objectContaining({ code: 'FormatWrong', text: '2x' }))
})

test('a sum has the format of its first amount that is not zero', () => {
  expect(sumQuantities('0 1Gi 1Gi').toString()).toBe('2Gi')
})
