import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantityRefusal } from '../../test/quantity/quantity-refusal.ts'
import { SUFFIXES } from '../../test/quantity/suffixes.ts'
import { canonicalText } from './canonical-text.ts'
import { readPlainQuantity } from './read-plain.ts'
import { readQuantity } from './read.ts'
import { Quantity } from './quantity.ts'

const nano = (quantity: Quantity): bigint => quantity.scaledValue(-9)
const parse = (text: string): Quantity => Quantity.parse(text)

describe('quantities', () => {
  const sign = fc.constantFrom('', '-', '+')
  const texts = fc
    .tuple(sign, fc.stringMatching(/^[0-9]{1,20}(\.[0-9]{0,12})?$/), fc.constantFrom(...SUFFIXES))
    .map((parts) => parts.join(''))
  const quantities = texts.map(parse)
  const runs = { numRuns: 300 }

  test('a canonical text is read and written back unchanged, in the format that it shows', () => {
    fc.assert(
      fc.property(quantities, (quantity) => {
        const canonical = quantity.canonical()
        const read = parse(canonical)
        expect(read.toString()).toBe(canonical)
        expect(read.canonical()).toBe(canonical)
        expect(read.equals(quantity)).toBe(true)
      }),
      runs,
    )
  })

  test('a spelling survives any number of round trips, once a binary amount that prints without a suffix is decimal', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = parse(text)
        const printed = once.toString()
        const again = parse(printed)
        // As in Kubernetes: 437.5Ki prints as 448000, which reads as a decimal amount and prints as 448k.
        const turnedDecimal = once.format === 'BinarySI' && again.format === 'DecimalSI'
        if (!turnedDecimal) expect(again.toString()).toBe(printed)
        expect(parse(again.toString()).toString()).toBe(again.toString())
        expect(again.equals(once)).toBe(true)
      }),
      runs,
    )
  })

  test('addition is associative and commutative in amount', () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        expect(
          a
            .add(b)
            .add(c)
            .equals(a.add(b.add(c))),
        ).toBe(true)
        expect(a.add(b).equals(b.add(a))).toBe(true)
      }),
      runs,
    )
  })

  test('addition and multiplication are those of whole nano units', () => {
    fc.assert(
      fc.property(quantities, quantities, fc.bigInt({ min: -1000n, max: 1000n }), (a, b, by) => {
        expect(nano(a.add(b))).toBe(nano(a) + nano(b))
        expect(nano(a.sub(b))).toBe(nano(a) - nano(b))
        expect(nano(a.mul(by))).toBe(nano(a) * by)
        expect(nano(a.neg())).toBe(-nano(a))
      }),
      runs,
    )
  })

  test('subtraction undoes addition', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(a.add(b).sub(b).equals(a)).toBe(true)
        expect(a.sub(b).add(b).equals(a)).toBe(true)
      }),
      runs,
    )
  })

  test('the order is total and does not depend on formats', () => {
    fc.assert(
      fc.property(quantities, quantities, quantities, (a, b, c) => {
        expect(a.cmp(b)).toBe(-b.cmp(a) + 0)
        expect(a.cmp(b) === 0).toBe(a.equals(b))
        const [low, middle, high] = [a, b, c].toSorted((x, y) => x.cmp(y))
        expect(low!.cmp(middle!) <= 0 && middle!.cmp(high!) <= 0 && low!.cmp(high!) <= 0).toBe(true)
        expect(a.withFormat('BinarySI').cmp(b.withFormat('DecimalExponent'))).toBe(a.cmp(b))
        expect(a.cmp(b)).toBe(a.sub(b).sign())
      }),
      runs,
    )
  })

  test('a sum has the format of the receiver, or of the argument where the receiver is zero', () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(a.add(b).format).toBe(a.isZero() ? b.format : a.format)
        expect(a.sub(b).format).toBe(a.isZero() ? b.format : a.format)
      }),
      runs,
    )
  })

  test('rounding never brings an amount nearer to zero and stays within one step', () => {
    fc.assert(
      fc.property(quantities, fc.integer({ min: -10, max: 12 }), (a, scale) => {
        const rounded = a.roundUp(scale)
        const step = Quantity.ofScaled(1n, scale)
        expect(rounded.scaledValue(scale)).toBe(a.scaledValue(scale))
        const away = a.sign() < 0 ? a.sub(rounded) : rounded.sub(a)
        expect(away.sign() >= 0 && away.cmp(step) < 0).toBe(true)
      }),
      runs,
    )
  })

  test('the shortcut for everyday texts reads the same amount and prints the same text as the full reader', () => {
    const everyday = fc.tuple(fc.nat({ max: 20_000 }), fc.nat({ max: 4 }), fc.constantFrom(...SUFFIXES))
    const plain = everyday.map(([number, zeros, suffix]) => `${number}${'0'.repeat(zeros)}${suffix}`)
    fc.assert(
      fc.property(fc.oneof(plain, texts), (text) => {
        const short = readPlainQuantity(text)
        if (short === undefined) return
        const full = readQuantity(text)
        const printed = full.text ?? canonicalText(full.units, full.places, full.format)
        expect({ ...short, text: parse(text).toString() }).toEqual({ ...full, text: printed })
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['1', '9', '10', '2000', '100m', '128Mi', '5Pi', '999999999999999', '12k', '90n'])(
    'the everyday text %s is read by the shortcut',
    (text) => {
      expect(readPlainQuantity(text)).toBeDefined()
    },
  )

  test.each([
    '',
    '0',
    '05',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '1E3',
    '1 ',
    'm',
    '1KiB',
    '1Kx',
    '1000000000000000',
    '9P9',
    '1:',
    '1/',
  ])('the shortcut leaves the text "%s" to the full reader', (text) => {
    expect(readPlainQuantity(text)).toBeUndefined()
  })

  test('the shortcut reads what is a safe integer of its unit, and no more', () => {
    expect(readPlainQuantity('9007199254740k')?.units).toBe(9_007_199_254_740_000n)
    expect(readPlainQuantity('9007199254741k')).toBeUndefined()
    expect(readPlainQuantity('8191Ti')?.units).toBe(8191n * 2n ** 40n)
    expect(readPlainQuantity('8192Ti')).toBeUndefined()
  })

  test('a number of any scale is held exactly, and rounded away from zero beyond nano', () => {
    const scaled = (value: bigint, scale: number) => Quantity.ofScaled(value, scale)
    expect([scaled(5n, 0), scaled(5n, 2), scaled(5n, -1), scaled(5n, -4), scaled(5n, -9)].map(String)).toEqual([
      '5',
      '500',
      '500m',
      '500u',
      '5n',
    ])
    expect([scaled(1n, -10), scaled(-1n, -12), scaled(0n, -12)].map(String)).toEqual(['1n', '-1n', '0'])
    expect(scaled(5n, -1).format).toBe('DecimalSI')
    expect(Quantity.ofScaled(5n, 0, 'DecimalExponent').format).toBe('DecimalExponent')
  })

  test('a quantity prints in another format when it is asked to, and is the same amount', () => {
    const plain = parse('2048')
    expect(plain.withFormat('BinarySI').toString()).toBe('2Ki')
    expect(plain.withFormat('BinarySI').equals(plain)).toBe(true)
    expect(parse('1.500').withFormat('DecimalSI').toString()).toBe('1.500')
  })

  test('an error of a quantity carries its name, its code and the text that was given', () => {
    expect(() => parse('1Q')).toThrow(
      expect.objectContaining({ name: 'QuantityError', code: 'FormatWrong', text: '1Q' }),
    )
    expect(() => parse('1kk')).toThrow(expect.objectContaining({ code: 'Suffix' }))
  })

  test('any text is either read or refused with one of the known errors', () => {
    const noise = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789.+-eEinumkKMGTPx ½'.split('')), maxLength: 12 }),
      fc.uint16Array({ maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const known = [undefined, /^quantities must (match|not have more than)/, /^unable to parse/]
        const message = quantityRefusal(text)
        expect(known.some((one) => (one === undefined ? message === undefined : one.test(message ?? '')))).toBe(true)
      }),
      { numRuns: 1500 },
    )
  })

  test.each(['1e1000000', '9e999999999999', `1${'0'.repeat(1_000_000)}`, '1e1000', `0.${'0'.repeat(2000)}1`])(
    'an absurdly long quantity (case %#) is refused at once',
    (text) => {
      expect(quantityRefusal(text)).toBe('quantities must not have more than 1000 digits')
    },
  )

  test('the largest exponents that are read stay exact', () => {
    expect(parse('1e999').toString()).toBe('1e999')
    expect(parse('1e-999999999').toString()).toBe('1e-9')
    expect(parse('0e999999999').toString()).toBe('0')
    expect(quantityRefusal('1e9999999999999999999')).toBe("unable to parse quantity's suffix")
  })

  test('a number without digits is zero only where upstream reads it on its int64 path', () => {
    expect(parse('Ti').toString()).toBe('0')
    expect(quantityRefusal('Pi')).toBe('unable to parse numeric part of quantity')
    expect(quantityRefusal('.e-10')).toBe('unable to parse numeric part of quantity')
  })

  test('beyond the largest suffix the digits grow', () => {
    expect(parse('1000E').toString()).toBe('1000E')
    expect(parse('1Ei').mul(2048n).toString()).toBe('2048Ei')
  })

  test('rounding keeps the spelling exactly where upstream holds no finer scale', () => {
    expect(parse('1.500').roundUp(-3).toString()).toBe('1.500')
    expect(parse('1.500').roundUp(-2).toString()).toBe('1500m')
    expect(parse('+5Ki').roundUp(0).toString()).toBe('+5Ki')
  })

  test('a value from JSON may be a string with spaces, a number or null', () => {
    expect(Quantity.fromJson(' 1Gi\n').toString()).toBe('1Gi')
    expect(Quantity.fromJson(2).toString()).toBe('2')
    expect(Quantity.fromJson(null).toString()).toBe('0')
    for (const [value, text] of [
      [true, 'true'],
      [{}, '{}'],
      [[], '[]'],
      [undefined, ''],
      ['', ''],
    ] as const)
      expect(() => Quantity.fromJson(value)).toThrow(expect.objectContaining({ code: 'FormatWrong', text }))
  })

  test('a number that is not a safe integer is an invalid quantity of units', () => {
    expect([Quantity.of(3), Quantity.of(3n)].map((three) => [three.toString(), three.format])).toEqual([
      ['3', 'DecimalSI'],
      ['3', 'DecimalSI'],
    ])
    expect(Quantity.of(4096n, 'BinarySI').toString()).toBe('4Ki')
    for (const value of [0.5, 2 ** 53, Number.NaN])
      expect(() => Quantity.of(value)).toThrow(new RangeError(`${value} is not a safe integer`))
  })

  test('printing works in templates and JSON, comparing with < throws', () => {
    const quantity = Object.freeze(parse('1000m'))
    expect(`${String(quantity)} ${JSON.stringify({ quantity })}`).toBe('1 {"quantity":"1"}')
    expect(() => quantity < Quantity.zero).toThrow(
      new TypeError('quantities are compared with cmp and calculated with add and sub'),
    )
  })
})
