import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCel } from '../program.ts'
import type { CelProgram } from '../program.ts'
import { CelUint } from './scalar.ts'

const INT_MIN = -(2n ** 63n)
const INT_MAX = 2n ** 63n - 1n
const UINT_MAX = 2n ** 64n - 1n

const edge = fc.constantFrom(INT_MIN, INT_MIN + 1n, -1n, 0n, 1n, INT_MAX - 1n, INT_MAX)
const int = fc.oneof(edge, fc.bigInt({ min: INT_MIN, max: INT_MAX }), fc.bigInt({ min: -100n, max: 100n }))
const uint = fc.oneof(fc.constantFrom(0n, 1n, UINT_MAX), fc.bigInt({ min: 0n, max: UINT_MAX }))

const compile = (source: string): CelProgram => compileCel(source, { variables: { a: {}, b: {} } })
const outcome = (program: CelProgram, a: unknown, b: unknown): unknown => {
  const { result } = program.run({ a, b })
  return 'error' in result ? result.error.message : result.value
}

const OPERATIONS: readonly (readonly [string, (a: bigint, b: bigint) => bigint])[] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['%', (a, b) => a % b],
]

const byZero = (sign: string): string => (sign === '/' ? 'division by zero' : 'modulus by zero')

describe('integers are those of 64 bits', () => {
  test.each(OPERATIONS)('a %s b is what BigInt says, or an overflow', (sign, exact) => {
    const program = compile(`a ${sign} b`)
    fc.assert(
      fc.property(int, int, (a, b) => {
        const isDivision = sign === '/' || sign === '%'
        if (isDivision && b === 0n) {
          expect(outcome(program, a, b)).toBe(byZero(sign))
          return
        }
        const quotientOverflows = isDivision && a === INT_MIN && b === -1n
        const value = exact(a, b)
        const overflows = quotientOverflows || value < INT_MIN || value > INT_MAX
        expect(outcome(program, a, b)).toBe(overflows ? 'integer overflow' : value)
      }),
    )
  })

  test.each(OPERATIONS)('uint(a) %s uint(b) is what BigInt says, or an overflow', (sign, exact) => {
    const program = compile(`uint(a) ${sign} uint(b)`)
    fc.assert(
      fc.property(uint, uint, (a, b) => {
        if ((sign === '/' || sign === '%') && b === 0n) {
          expect(outcome(program, String(a), String(b))).toBe(byZero(sign))
          return
        }
        const value = exact(a, b)
        const overflows = value < 0n || value > UINT_MAX
        const wanted = overflows ? 'unsigned integer overflow' : new CelUint(value)
        expect(outcome(program, String(a), String(b))).toEqual(wanted)
      }),
    )
  })

  test('comparisons agree with BigInt, and == with <= and >=', () => {
    const less = compile('a < b')
    const both = compile('(a <= b && a >= b) == (a == b)')
    fc.assert(
      fc.property(int, int, (a, b) => {
        expect(outcome(less, a, b)).toBe(a < b)
        expect(outcome(both, a, b)).toBe(true)
      }),
    )
  })

  test('an integer beside a double is compared as a double', () => {
    const program = compile('[a < double(b), a == dyn(double(b)), a > double(b)]')
    fc.assert(
      fc.property(int, fc.double({ noNaN: true }), (a, b) => {
        const near = Number(a)
        expect(program.run({ a, b }).result).toMatchObject({ value: { items: [near < b, near === b, near > b] } })
      }),
    )
  })

  test('text and back is the same integer', () => {
    const program = compile('int(string(a)) == a')
    fc.assert(
      fc.property(int, (a) => {
        expect(outcome(program, a, 0)).toBe(true)
      }),
    )
  })
})

describe('doubles are those of JavaScript', () => {
  test.each(['+', '-', '*', '/'])('a %s b', (sign) => {
    const program = compile(`double(a) ${sign} double(b)`)
    const exact: { readonly [sign: string]: (a: number, b: number) => number } = {
      '+': (a, b) => a + b,
      '-': (a, b) => a - b,
      '*': (a, b) => a * b,
      '/': (a, b) => a / b,
    }
    fc.assert(
      fc.property(fc.double(), fc.double(), (a, b) => {
        // JSON has no negative zero; divided by it, a number changes its sign.
        expect(outcome(program, a + 0, b + 0)).toBe(exact[sign]!(a + 0, b + 0))
      }),
    )
  })

  test('text and back is the same double', () => {
    const program = compile('double(string(double(a)))')
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (a) => {
        expect(outcome(program, a + 0, 0)).toBe(a + 0)
      }),
    )
  })
})

describe('texts are counted in code points', () => {
  test('substring, charAt, indexOf and size agree with arrays of code points', () => {
    const program = compile('[a.size(), a.indexOf(b), a.lastIndexOf(b)]')
    const halves = compile('a.substring(0, b) + a.substring(b) == a')
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '😀', 'é') }),
        fc.string({ unit: fc.constantFrom('a', '😀'), maxLength: 2 }),
        (a, b) => {
          const all = Array.from(a)
          const part = Array.from(b)
          const places = all.map((_, at) => at).filter((at) => part.every((one, index) => all[at + index] === one))
          const [from, to] = b === '' ? [0, all.length] : [places[0] ?? -1, places.at(-1) ?? -1]
          expect(program.run({ a, b }).result).toMatchObject({
            value: { items: [BigInt(all.length), BigInt(from), BigInt(to)] },
          })
          for (let at = 0; at <= all.length; at++) expect(outcome(halves, a, at)).toBe(true)
        },
      ),
    )
  })

  test('split and join undo one another', () => {
    const program = compile('a.split(b).join(b) == a')
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 2 }), (a, b) => {
        expect(outcome(program, a, b)).toBe(true)
      }),
    )
  })
})
