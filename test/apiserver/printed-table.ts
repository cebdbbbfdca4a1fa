import type { Cell } from '../../src/apiserver/table/column.ts'
import { columnsOf } from '../../src/apiserver/table/columns.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'

export const now = Date.parse('2026-11-21T12:00:00Z')

/** The time so many seconds before `now`. */
export const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace('.000', '')

export const objectOf = (fields: JsonObject, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  ...fields,
  metadata: { name: 'thing', namespace: 'shop', creationTimestamp: ago(90), ...metadata },
})

/** Returns the table of kubectl, by column; without wide columns by default. */
export const printed = (resource: string, object: KubeObject, wide = false): Record<string, Cell> =>
  Object.fromEntries(
    columnsOf(resource)
      .filter(({ priority }) => wide || priority === 0)
      .map(({ name, cell }) => [name, cell(object, { now })]),
  )
