import { expect } from 'vitest'
import { quantityRefusal } from '../../test/quantity/quantity-refusal.ts'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { lexQuantity } from './lex.ts'
import { type Format, Quantity } from './quantity.ts'

interface Internal {
  readonly unscaled: string
  readonly exp10: number
  readonly format: Format
  readonly canonical: string
}

interface Observed {
  readonly error?: string
  readonly string: string
  readonly canonicalIfRecomputed: string
  readonly format: Format
  readonly sign: number
  readonly value: string
  readonly milliValue: string
  readonly decimal: string
  readonly asInt64?: string | null
}

// Each case is one of several shapes; the checks below read what their group has.
// oxlint-disable-next-line typescript/no-explicit-any
type Case = any

const FILE = 'kubernetes/quantity.json'
const groups = vectors<{ readonly [group: string]: readonly Case[] }>(FILE)
const parse = (text: string): Quantity => Quantity.parse(text)
const of = (form: Internal): Quantity => Quantity.ofScaled(BigInt(form.unscaled), form.exp10, form.format)

// Upstream wraps beyond int64, and what it says of negatives that it does not hold as an int64 (their decimal then has nine
// places) is wrong: the vectors call both undefined.
function expectScaled(quantity: Quantity, scale: number, expected: string, decimal: string): void {
  const defined = isInt64(quantity.value()) && isInt64(quantity.scaledValue(scale))
  if (defined && !/^-.*\.\d{9}$|^-\d{19,}$/.test(decimal)) expect(quantity.scaledValue(scale).toString()).toBe(expected)
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value
}

function expectObserved(text: string, observed: Observed): void {
  if (observed.error !== undefined) {
    expect(quantityRefusal(text)).toBe(observed.error)
    return
  }
  const quantity = parse(text)
  expect(quantity.toString()).toBe(observed.string)
  expect(quantity.toJSON()).toBe(observed.string)
  expect(quantity.canonical()).toBe(observed.canonicalIfRecomputed)
  expect(quantity.add(Quantity.zero).toString()).toBe(observed.canonicalIfRecomputed)
  expect(quantity.format).toBe(observed.format)
  expect(quantity.sign()).toBe(observed.sign)
  expect(quantity.equals(parse(observed.decimal))).toBe(true)
  expectScaled(quantity, 0, observed.value, observed.decimal)
  expectScaled(quantity, -3, observed.milliValue, observed.decimal)
  if (typeof observed.asInt64 === 'string') expect(quantity.value().toString()).toBe(observed.asInt64)
}

function expectForm(quantity: Quantity, form: Internal): void {
  expect(quantity.canonical()).toBe(form.canonical)
  if (form.format !== ('' as Format)) expect(quantity.format).toBe(form.format)
  expect(quantity.equals(of(form))).toBe(true)
}

function expectNear(actual: number, expected: string): void {
  const wanted = expected === '+Inf' ? Infinity : expected === '-Inf' ? -Infinity : Number(expected)
  if (Number.isFinite(wanted)) expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(Math.abs(wanted) * 2 ** -52)
  else expect(actual).toBe(wanted)
}

const checks: { readonly [group: string]: (value: Case) => void } = {
  add: ({ a, b, expect: form }) => expectForm(of(a).add(of(b)), form),
  sub: ({ a, b, expect: form }) => expectForm(of(a).sub(of(b)), form),
  addZero: ({ a, b, minus, expectSum, expectDiff }) => {
    if (expectSum !== undefined) expect(parse(a).add(parse(b)).toString()).toBe(expectSum)
    if (expectDiff !== undefined) expect(parse(a).sub(parse(minus)).toString()).toBe(expectDiff)
  },
  asFloat64: ({ in: form, input, expect: number }) =>
    expectNear((form === undefined ? parse(input) : of(form)).toApproximateNumber(), number),
  cmp: ({ x, y, expect: order }) => expect(parse(x).cmp(parse(y))).toBe(order),
  // Some of these amounts are finer than nano, which no quantity is: the order of both times 10^9 is the same.
  cmpInternal: ({ a, b, expect: order }) =>
    expect(of({ ...a, exp10: a.exp10 + 9 }).cmp(of({ ...b, exp10: b.exp10 + 9 }))).toBe(order),
  executedArith: (value) => {
    const a = parse(value.a)
    const b = parse(value.b)
    expect(a.cmp(b)).toBe(value.cmp)
    expect(a.add(b).toString()).toBe(value.sum)
    expect(a.add(b).format).toBe(value.sumFormat)
    expect(a.sub(b).toString()).toBe(value.diff)
    expect(a.sub(b).format).toBe(value.diffFormat)
  },
  executedMisc: ({ what, observed, format }) => {
    const result = evaluate(what.replace(/ \(.*|MustParse/g, '').replace(/ format$/, ''))
    expect(what.endsWith(' format') ? result.format : result.toString()).toBe(observed)
    if (format !== undefined) expect(result.format).toBe(format)
  },
  executedNew: ({ value, format, newQuantity, newMilliQuantity }) => {
    expect(Quantity.of(BigInt(value), format).toString()).toBe(newQuantity)
    expect(Quantity.ofScaled(BigInt(value), -3, format).toString()).toBe(newMilliQuantity)
  },
  executedParse: ({ input, observed }) => expectObserved(input, observed),
  executedValue: (value) => {
    const quantity = parse(value.input)
    expectNear(quantity.toApproximateNumber(), value.asApproximateFloat64)
    expectScaled(quantity, 0, value.value, value.input)
    expectScaled(quantity, -3, value.milliValue, value.input)
    for (const scale of [-9, -6, -3, 0, 3]) {
      expectScaled(quantity, scale, value[`scaledValue(${scale})`], value.input)
      const rounded = quantity.roundUp(scale)
      expect(rounded.toString()).toBe(value[`roundUp(${scale})`].string)
      expect(rounded.equals(quantity)).toBe(value[`roundUp(${scale})`].exact)
    }
  },
  format: ({ in: form, expect: text, alternateInputWithSameCanonicalForm: alternate }) => {
    expect(of(form).toString()).toBe(text)
    if (alternate) expect(parse(alternate).canonical()).toBe(text)
  },
  json: ({ jsonText, expect: text }) => expect(Quantity.fromJson(JSON.parse(jsonText)).toString()).toBe(text),
  lex: ({ input, num, denom, suffix, positive }) =>
    expect(lexQuantity(input)).toMatchObject({ whole: num, fraction: denom, suffix, negative: !positive }),
  mul: ({ a, b, expect: form, ok }) => {
    const product = of(a).mul(BigInt(b))
    expectForm(product, form)
    if (ok === false) expect(isInt64(product.value())).toBe(false)
  },
  neg: ({ a, expect: form, expectString }) => {
    const negated = of(a).neg()
    if (form !== undefined) expectForm(negated, form)
    else expect(negated.toString()).toBe(expectString)
  },
  newMilliQuantity: ({ milli, format, expect: text }) => {
    const quantity = Quantity.ofScaled(BigInt(milli), -3, format)
    expect(quantity.toString()).toBe(text)
    expect(quantity.milliValue().toString()).toBe(milli)
  },
  newQuantity: ({ value, format, expect: text }) => {
    const quantity = Quantity.of(BigInt(value), format)
    expect(quantity.toString()).toBe(text)
    expect(quantity.value().toString()).toBe(value)
  },
  newScaledQuantity: ({ value, scale, expect: text }) =>
    expect(Quantity.ofScaled(BigInt(value), scale).toString()).toBe(text),
  parse: ({ input, observed, expect: form, expectFormat }) => {
    expectObserved(input, observed)
    if (form !== undefined) expectForm(parse(input), form)
    if (expectFormat !== undefined) expect(parse(input).format).toBe(expectFormat)
  },
  parseEmit: ({ input, expect: text }) => expect(parse(input).toString()).toBe(text),
  parseErrors: ({ input, observed }) => expectObserved(input, observed),
  parseLimits: ({ input, observed, expectAsInt64, expectCanonical, expectDecimal }) => {
    expectObserved(input, observed)
    expect(parse(input).canonical()).toBe(expectCanonical)
    expect(parse(input).equals(parse(expectDecimal))).toBe(true)
    if (expectAsInt64 !== null) expect(parse(input).value().toString()).toBe(expectAsInt64)
  },
  roundUp: ({ input, scale, exact, expect: form }) => {
    const rounded = parse(input).roundUp(scale)
    expectForm(rounded, form)
    expect(rounded.equals(parse(input))).toBe(exact)
  },
  scaledValue: ({ value, fromScale, toScale, expect: scaled }) =>
    expect(Quantity.ofScaled(BigInt(value), fromScale).scaledValue(toScale).toString()).toBe(scaled),
}

// Reads expressions such as `(1Gi-1Gi)+500M` from left to right.
function evaluate(expression: string): Quantity {
  const [first = '', ...rest] = expression.replaceAll(/[()]/g, '').split(/(?=[+-])/)
  return rest.reduce((sum, term) => {
    const operand = parse(term.slice(1))
    return term.startsWith('+') ? sum.add(operand) : sum.sub(operand)
  }, parse(first))
}

const cases = Object.entries(groups).flatMap(([group, list]) =>
  group === 'meta' ? [] : list.map((value) => ({ group, value })),
)

function nameOf({ group, value }: { readonly group: string; readonly value: Case }): string {
  const { from: _, observed: __, expect: ___, ...inputs } = value
  return `${group} ${JSON.stringify(inputs)}`.slice(0, 120)
}

eachCase(FILE, cases, nameOf, ({ group, value }) => {
  const check = checks[group]
  if (check === undefined) expect.unreachable(`no check for the group ${group}`)
  else check(value)
})

const oracle = vectors<{ readonly cases: readonly Case[] }>('capsule/oracle-quantity.json').cases
const oracleChecks: { readonly [op: string]: (value: Case, operands: () => readonly Quantity[]) => void } = {
  parse: (value) => {
    const text = value.args[0]
    if (value.error !== undefined) {
      expect(quantityRefusal(text)).toBe(value.error)
      return
    }
    expectObserved(text, {
      ...value,
      string: value.json,
      canonicalIfRecomputed: value.canonicalAfterMath,
      decimal: value.canonicalAfterMath,
    })
    expect(parse(text).isZero()).toBe(value.isZero)
    expectNear(parse(text).toApproximateNumber(), String(value.approxFloat64))
  },
  sum: (value, operands) => expectResult(total(Quantity.zero, operands()), value),
  sumFromZero: (value, operands) => expectResult(total(parse('0'), operands()), value),
  sub: (value, operands) => {
    const [first = Quantity.zero, ...rest] = operands()
    expectResult(
      rest.reduce((difference, operand) => difference.sub(operand), first),
      value,
    )
  },
  neg: (value, operands) => expectResult((operands()[0] ?? Quantity.zero).neg(), value),
  cmp: (value, operands) => {
    const [left = Quantity.zero, right = Quantity.zero] = operands()
    expect(left.cmp(right)).toBe(value.cmp)
  },
}

function total(from: Quantity, operands: readonly Quantity[]): Quantity {
  return operands.reduce((sum, operand) => sum.add(operand), from)
}

function expectResult(result: Quantity, value: Case): void {
  expect(result.toString()).toBe(value.string)
  if (value.format) expect(result.format).toBe(value.format)
  if (value.sign !== undefined) expect(result.sign()).toBe(value.sign)
}

eachCase(
  'capsule/oracle-quantity.json',
  oracle,
  (value) => `${value.op} ${value.args.join(' ')}`,
  (value) => {
    const check = oracleChecks[value.op]
    if (check === undefined) expect.unreachable(`no check for ${value.op}`)
    else check(value, () => value.args.map(parse))
  },
)

function expectEqual({ a, b, want }: Case): void {
  expect(parse(a).equals(parse(b))).toBe(want)
}

function expectNegated({ in: text, want }: Case): void {
  const quantity = parse(text)
  expect(quantity.neg().toString()).toBe(want)
  expect(quantity.toString()).toBe(text)
}

eachCase(
  'capsule/quantity-equal.json',
  vectors<{ readonly cases: readonly Case[] }>('capsule/quantity-equal.json').cases,
  ({ name }) => name,
  expectEqual,
)

eachCase(
  'capsule/quantity-negate.json',
  vectors<{ readonly cases: readonly Case[] }>('capsule/quantity-negate.json').cases,
  ({ name }) => name,
  expectNegated,
)
