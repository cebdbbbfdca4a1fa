// Covers program.ts with types and library, against recorded answers of cel-go.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../quantity/quantity.ts'
import { parseJson } from '../machinery/json-text.ts'
import type { JsonObject } from '../machinery/object.ts'
import { CelCompileError } from './types/error.ts'
import { toHex } from './library/encoding.ts'
import { IpAddress, IpPrefix } from '../machinery/ip-address.ts'
import { NamedFormat } from './types/named-format.ts'
import { formatDouble } from './library/number-text.ts'
import { ParsedUrl } from './types/parsed-url.ts'
import { SemanticVersion } from './types/semantic-version.ts'
import { formatDuration, formatTimestamp } from './library/time-text.ts'
import { CelList, CelMap, CelOptional, type Result } from './types/value.ts'
import { compileCel } from './program.ts'
import type { CelVariable } from './program.ts'
import { shapeOfSchema } from './types/schema-shape.ts'
import type { SchemaShape } from './types/schema-shape.ts'
import { parametersOf, typeName } from './types/cel-type.ts'
import type { CelType } from './types/cel-type.ts'
import { CelDuration, CelTimestamp, CelUint, Failure, TypeValue } from './types/scalar.ts'

/** The answers of cel-go 0.26 with the libraries of Kubernetes 1.36. The first line holds what the others refer to. */
interface Answer {
  readonly expr: string
  /** The place of the variables among the given ones. */
  readonly given?: number
  /** The value of `self`, whose schema is the given one. */
  readonly self?: unknown
  readonly compile?: string
  readonly type?: string
  readonly value?: string
  readonly error?: string
  readonly cost?: number
  /** The least and the most that it was estimated to cost. */
  readonly max?: string
}

interface Given {
  readonly schema: JsonObject
  readonly given: readonly JsonObject[]
}

const [first = '', ...lines] = readFileSync(new URL('cel-go-answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const given = parseJson(first) as Given
const selfShape = shapeOfSchema(given.schema, false, 'selfType') as SchemaShape

/** Where we answer otherwise. */
const DIFFERENCES: { readonly [expression: string]: string } = {
  '-object.items': 'cel-go names the operator in this one failure, and in others not',
  '[o.s, o.d].join()': 'a value that is not a text is named by its type, not printed',
  '!': 'the parser of cel-go takes the end for a token too many',
  '-': 'the parser of cel-go complains twice about the end',
}

function show(value: Result): string {
  if (value instanceof Failure) return `failure ${value.message}`
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return `double(${formatDouble(value, 6)})`
  if (value instanceof CelUint) return `${value.value}u`
  if (value instanceof Uint8Array) return `bytes(${toHex(value)})`
  if (value instanceof CelTimestamp) return `timestamp(${formatTimestamp(value)})`
  if (value instanceof CelDuration) return `duration(${formatDuration(value)})`
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : `optional(${show(value.value)})`
  if (value instanceof TypeValue) return `type(${value.name})`
  if (value instanceof CelList) return `[${value.values().map(show).join(', ')}]`
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => `${show(key)}: ${show(value.find(key)!)}`)
    return `{${entries.toSorted().join(', ')}}`
  }
  if (value instanceof Quantity) return `quantity(${value.toString()})`
  if (value instanceof ParsedUrl) return `url(${value.text})`
  if (value instanceof IpAddress) return `ip(${value.toString()})`
  if (value instanceof IpPrefix) return `cidr(${value.toString()})`
  if (value instanceof SemanticVersion) return `semver(${value.toString()})`
  return value instanceof NamedFormat ? `format(${value.name})` : '?'
}

/** The type as cel-go's API, not its checker, prints it. */
function printType(type: CelType): string {
  const parameters = parametersOf(type)
  return typeName(type) + (parameters.length === 0 ? '' : `(${parameters.map(printType).join(', ')})`)
}

function answer(question: Answer): Partial<Answer> {
  const values = question.given === undefined ? { self: question.self } : given.given[question.given]!
  const variables: { [name: string]: CelVariable } = {}
  for (const name of Object.keys(values)) variables[name] = question.given === undefined ? { shape: selfShape } : {}
  try {
    const program = compileCel(question.expr, { variables })
    const { cost, result } = program.run(values)
    const { min, max } = program.estimatedCost
    const common = { type: printType(program.outputType), max: `${min} ${max}` }
    // The cost of a failure varies, and does not matter.
    if ('error' in result) return { ...common, error: result.error.message }
    return { ...common, value: show(result.value), cost }
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    return error.phase === 'compile' ? { compile: error.message } : { error: `PROGRAM ${error.message}` }
  }
}

function expected(question: Answer): Partial<Answer> {
  const { compile, type, value, error, cost, max } = question
  if (compile !== undefined) return { compile }
  if (error?.startsWith('PROGRAM') === true) return { error }
  // Both ends are reckoned in doubles here.
  const estimate = max?.split(' ').map(Number).join(' ')
  const common = { type: type!, max: estimate! }
  return error === undefined ? { ...common, value: value!, cost: cost ?? 0 } : { ...common, error }
}

/** Doubles have fewer digits than the estimates of 64 bits. */
const near = (text: string | undefined): string | undefined =>
  text
    ?.split(' ')
    .map((one) => Number(one).toPrecision(12))
    .join(' ')

describe('an expression is answered as cel-go answers it', () => {
  for (const [at, line] of lines.entries()) {
    const question = parseJson(line) as Answer
    test(`${at}: ${question.expr.slice(0, 100)}`, () => {
      const got = answer(question)
      const want = expected(question)
      const compare = (): void => expect({ ...got, max: near(got.max) }).toEqual({ ...want, max: near(want.max) })
      if (Object.hasOwn(DIFFERENCES, question.expr)) expect(compare).toThrow()
      else compare()
    })
  }
})
