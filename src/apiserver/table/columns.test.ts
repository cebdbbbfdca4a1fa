import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { now, objectOf, printed } from '../../../test/apiserver/printed-table.ts'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { builtInStrategies } from '../resource/built-in-strategies.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'
import type { Cell } from './column.ts'
import { columnsOf } from './columns.ts'

/** Returns the object that an API server would store, without admission. */
function created(strategy: Strategy, body: KubeObject): KubeObject {
  const decoded = { ...body, metadata: { uid: 'b7f0', namespace: 'golden', ...body.metadata } }
  const defaulted = strategy.defaults?.(decoded) ?? decoded
  return strategy.prepareForCreate?.(defaulted, { now: '2026-11-21T00:00:00Z' }) ?? defaulted
}

interface TableExchange {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body?: KubeObject }
  readonly expect: {
    readonly status: number
    readonly object?: KubeObject
    readonly table?: { readonly columns: readonly JsonObject[]; readonly rows: readonly (readonly Cell[])[] }
  }
}

const exchanges = JSON.parse(
  readFileSync(new URL('../../../test/golden/exchanges.json', import.meta.url), 'utf8'),
) as TableExchange[]

const exchange = (name: string): TableExchange => exchanges.find((one) => one.name === name)!

describe('tables of a real server', () => {
  test('pods have its columns', () => {
    const { columns } = exchange('pod table').expect.table!
    expect(columnsOf('pods').map(({ name, format, priority }) => ({ name, format, priority }))).toEqual(
      columns.map(({ name, format, priority }) => ({ name, format, priority })),
    )
  })

  test.each(['a', 'b', 'init', 'renamed'])('pod %s has its row', (name) => {
    const { rows } = exchange('pod table').expect.table!
    const row = rows.find(([first]) => first === name) ?? ['renamed', ...rows[0]!.slice(1)]
    const body = exchanges.find(
      ({ request, expect: answer }) =>
        answer.status === 201 && request.path.endsWith('/pods') && request.body?.metadata.name === name,
    )?.request.body
    const object = created(
      builtInStrategies.pods!,
      body ?? objectOf({ spec: { containers: [{ name: 'other', image: 'y' }] } }, { name }),
    )
    const cells = columnsOf('pods').map(({ cell }) => cell(object, { now }))
    expect(row.map((cell, index) => (cell === '*' ? cell : cells[index]))).toEqual(row)
  })

  test('quotas have its columns, the age last', () => {
    const { columns, rows } = exchange('quota table').expect.table!
    expect(columnsOf('resourcequotas').map(({ name }) => name)).toEqual(['Name', 'Request', 'Limit', 'Age'])
    const row = Object.fromEntries(columns.map(({ name }, index) => [name, rows[0]![index]]))
    const quota = exchange('quota get').expect.object!
    const { Age: _age, ...cells } = printed('resourcequotas', quota)
    const { Age: _any, ...expected } = row
    expect(cells).toEqual(expected)
  })
})

const QUOTAS = 'kubernetes/kubectl-output.json'

interface QuotaCells {
  readonly name: string
  readonly quota: JsonObject & { readonly metadata: JsonObject }
  readonly NAME: string
  readonly REQUEST: string
  readonly LIMIT: string
}
eachCase(
  QUOTAS,
  vectors<{ readonly getQuotaCells: readonly QuotaCells[] }>(QUOTAS).getQuotaCells,
  ({ name }) => `getQuotaCells ${name}`,
  ({ quota, NAME, REQUEST, LIMIT }) => {
    const { Age: _age, ...cells } = printed('resourcequotas', { apiVersion: 'v1', kind: 'ResourceQuota', ...quota })
    expect(cells).toEqual({ Name: NAME, Request: REQUEST, Limit: LIMIT })
  },
)
