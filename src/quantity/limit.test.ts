import { expect } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { clampToZero, limitProblem } from './limit.ts'
import { Quantity } from './quantity.ts'

interface Clamp {
  readonly name: string
  readonly in: string
  readonly want: string
}

interface Validate {
  readonly name: string
  readonly quantity: string
  readonly ok: boolean
  readonly expectErrorContains?: string
}

function expectClamp({ in: text, want }: Clamp): void {
  expect(clampToZero(Quantity.parse(text)).toString()).toBe(want)
}

function expectValidation({ quantity, ok, expectErrorContains }: Validate): void {
  expect(limitProblem(Quantity.parse(quantity))).toBe(ok ? undefined : `${expectErrorContains}: "${quantity}"`)
}

eachCase(
  'capsule/quantity-clamp.json',
  vectors<{ readonly cases: readonly Clamp[] }>('capsule/quantity-clamp.json').cases,
  ({ name }) => name,
  expectClamp,
)

eachCase(
  'capsule/quantity-validate.json',
  vectors<{ readonly cases: readonly Validate[] }>('capsule/quantity-validate.json').cases,
  ({ name }) => name,
  expectValidation,
)
