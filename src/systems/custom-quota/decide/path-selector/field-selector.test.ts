import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../../test/load-vectors.ts'
import { JsonPathError } from '../../../../machinery/jsonpath/json-path-error.ts'
import { compileFieldSelector } from './field-selector.ts'
import { compileSourcePath } from './source-path.ts'
import { splitFieldSelectorEquals, splitFieldSelectorNotEquals, trimMatchingQuotes } from './split-field-selector.ts'
import type { SelectorSides } from './split-field-selector.ts'
import { findTopLevelEquals, findTopLevelNotEquals } from './top-level-operator.ts'
import type { OperatorPosition } from './top-level-operator.ts'

interface Named {
  readonly name: string
}

interface PathCase extends Named {
  readonly path: string
  readonly object?: unknown
  readonly ok?: boolean
  readonly expectErrorContains?: string
}

interface SelectorCase extends Named {
  readonly raw: string
}

const named = (one: Named): string => one.name

function checkCompile(one: PathCase): void {
  if (one.ok === true) expect(compileSourcePath(one.path).path).toBe(one.path.trim())
  else expect(() => compileSourcePath(one.path)).toThrow(one.expectErrorContains ?? 'sourcePath')
}

function checkExecute(one: PathCase & { readonly want: string }): void {
  expect(compileSourcePath(one.path).text(one.object)).toBe(one.want)
}

function checkTruthy(one: PathCase & { readonly want?: boolean }): void {
  const selector = compileFieldSelector(one.path)
  if (one.want === undefined) expect(() => selector.matches(one.object)).toThrow(JsonPathError)
  else expect(selector.matches(one.object)).toBe(one.want)
}

type QuotesCase = Named & { readonly value: string; readonly want: string }

function checkQuotes(one: QuotesCase): void {
  expect(trimMatchingQuotes(one.value)).toBe(one.want)
}

type Found = SelectorCase & { readonly idx: number; readonly width: number }

function checkFind(find: (raw: string) => OperatorPosition): (one: Found) => void {
  return (one) => expect(find(one.raw)).toEqual({ index: one.idx, width: one.width })
}

type Sides = SelectorCase & { readonly ok: boolean; readonly path?: string; readonly value?: string }

function checkSplit(split: (raw: string) => SelectorSides | undefined): (one: Sides) => void {
  return (one) => expect(split(one.raw)).toEqual(one.ok ? { path: one.path, value: one.value } : undefined)
}

interface File<T> {
  readonly cases: readonly T[]
}

describe('the field selectors of Capsule', () => {
  eachCase(
    'capsule/jsonpath-compile.json',
    vectors<File<PathCase>>('capsule/jsonpath-compile.json').cases,
    named,
    checkCompile,
  )
  eachCase(
    'capsule/jsonpath-execute.json',
    vectors<File<PathCase & { readonly want: string }>>('capsule/jsonpath-execute.json').cases,
    named,
    checkExecute,
  )
  eachCase(
    'capsule/jsonpath-truthy.json',
    vectors<File<PathCase & { readonly want?: boolean }>>('capsule/jsonpath-truthy.json').cases,
    named,
    checkTruthy,
  )
  eachCase('capsule/trim-quotes.json', vectors<File<QuotesCase>>('capsule/trim-quotes.json').cases, named, checkQuotes)
  eachCase(
    'capsule/find-top-level-equals.json',
    vectors<File<Found>>('capsule/find-top-level-equals.json').cases,
    named,
    checkFind(findTopLevelEquals),
  )
  eachCase(
    'capsule/find-top-level-notequals.json',
    vectors<File<Found>>('capsule/find-top-level-notequals.json').cases,
    named,
    checkFind(findTopLevelNotEquals),
  )
  eachCase(
    'capsule/fieldselector-split-equals.json',
    vectors<File<Sides>>('capsule/fieldselector-split-equals.json').cases,
    named,
    checkSplit(splitFieldSelectorEquals),
  )
  eachCase(
    'capsule/fieldselector-split-notequals.json',
    vectors<File<Sides>>('capsule/fieldselector-split-notequals.json').cases,
    named,
    checkSplit(splitFieldSelectorNotEquals),
  )
})

const service = { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }

test.each([
  ['.spec.type=LoadBalancer', true],
  ['.spec.type == "LoadBalancer"', true],
  ['.spec.type!=LoadBalancer', false],
  ['.spec.type!=ClusterIP', true],
  ['.spec.missing!=x', true],
  ['.spec.missing=x', false],
  ['.spec.type', true],
  ['.spec.missing', false],
  ['.spec.ports[*].port=80', true],
])('the field selector %s gives %s', (raw, expected) => {
  expect(compileFieldSelector(raw).matches(service)).toBe(expected)
})

test('a filter on a scalar is refused by default', () => {
  expect(() => compileFieldSelector('.spec.type[?(@=="LoadBalancer")]').matches(service)).toThrow(
    'execute usage jsonpath: LoadBalancer is not array or slice and cannot be filtered',
  )
})

test.each([
  ['LoadBalancer', true],
  ['ClusterIP', false],
  [null, false],
])('with scalarAsList a filter for LoadBalancer on %j matches: %s', (type, expected) => {
  const selector = compileFieldSelector('.spec.type[?(@=="LoadBalancer")]', { scalarAsList: true })
  expect(selector.matches({ spec: { type } })).toBe(expected)
})

test('a path may have 1024 bytes and no more', () => {
  expect(compileSourcePath(`.${'a'.repeat(1023)}`).path).toHaveLength(1024)
  expect(() => compileSourcePath(`.${'é'.repeat(512)}`)).toThrow('sourcePath exceeds max length of 1024')
})
