import { rawNumber } from '../../machinery/json-value.ts'
import { Allowance } from '../../machinery/jsonpath/limits.ts'
import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { Cell } from './column.ts'
import { printerColumns } from './printer-columns.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const box: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Box',
  metadata: { name: 'a', creationTimestamp: '2026-11-21T11:00:00Z', labels: { empty: '', number: '3' } },
  spec: { size: 3, half: 1.5, open: true, tags: ['x', 'y'], huge: 1e21 },
  status: {
    conditions: [
      { type: 'Other', message: 'no' },
      { type: 'Ready', message: 'yes' },
    ],
  },
}
const cellOf = (type: string, jsonPath: string): Cell =>
  printerColumns([{ name: 'C', type, jsonPath }])[1]!.cell(box, { now })

test('without columns of its own a resource prints name and age', () => {
  expect(printerColumns(undefined).map(({ name, type, cell }) => [name, type, cell(box, { now })])).toEqual([
    ['Name', 'string', 'a'],
    ['Age', 'date', '60m'],
  ])
})

test('columns come after the name, in their order, and no age of its own accord', () => {
  const columns: JsonObject[] = [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How big.' },
    { name: 'Tags', type: 'string', jsonPath: '.spec.tags', priority: 1 },
  ]
  expect(printerColumns(columns).map(({ name, type, format, priority }) => [name, type, format, priority])).toEqual([
    ['Name', 'string', 'name', 0],
    ['Size', 'integer', '', 0],
    ['Tags', 'string', '', 1],
  ])
})

test.each([
  ['integer', '.spec.size', 3],
  ['integer', '.spec.half', 1],
  ['number', '.spec.half', 1.5],
  ['boolean', '.spec.open', true],
  ['integer', '.spec.open', null],
  ['string', '.spec.size', '3'],
  ['string', '.spec.tags', '["x","y"]'],
  ['string', '.status.conditions[?(@.type=="Ready")].message', 'yes'],
  ['string', '.status.nothing', null],
  ['date', '.metadata.creationTimestamp', '60m'],
  ['date', '.metadata.name', '<invalid>'],
  ['date', '.metadata.labels.empty', '<unknown>'],
  ['date', '.metadata.labels.number', '<invalid>'],
  ['integer', '.spec.huge', rawNumber('-9223372036854775808')],
])('a column of %s at %s holds %j', (type, path, cell) => {
  expect(cellOf(type, path)).toEqual(cell)
})

test('from the first column on whose path is none, there are no columns', () => {
  const columns = ['.a', '.b[', '.c'].map((jsonPath) => ({ name: jsonPath, type: 'string', jsonPath }))
  expect(printerColumns(columns).map(({ name }) => name)).toEqual(['Name', '.a'])
})

test('many columns that visit all of an object fill only as many cells as all of them together may', () => {
  const columns = Array.from({ length: 10_000 }, (_, index) => ({ name: `C${index}`, type: 'string', jsonPath: '..x' }))
  const object = {
    kind: 'A',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    list: Array.from({ length: 1000 }, () => ({ x: 'x' })),
  }
  const context = { now: 0, allowance: new Allowance(100_000) }
  const cells = printerColumns(columns).map(({ cell }) => cell(object, context))
  expect(cells.filter((cell) => cell === 'x').length).toBeGreaterThan(10)
  expect(cells.filter((cell) => cell === 'x').length).toBeLessThan(100)
})

test('many columns that print a large text print only as much as all of them together may', () => {
  const columns = Array.from({ length: 1000 }, (_, index) => ({ name: `C${index}`, type: 'string', jsonPath: '.text' }))
  const object = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a' }, text: 'x'.repeat(100_000) }
  const context = { now: 0, allowance: new Allowance(100_000) }
  const cells = printerColumns(columns).map(({ cell }) => cell(object, context))
  expect(cells.filter((cell) => cell === object.text)).toHaveLength(9)
})
