import type { Int64 } from '../../machinery/json-value.ts'
import type { Allowance } from '../../machinery/jsonpath/limits.ts'
import type { KubeObject } from '../../machinery/object.ts'

export interface CellContext {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The work that the paths of all the table's cells may do together. */
  readonly allowance?: Allowance
}

/** The value of a cell; kubectl prints numbers and booleans as they are, and null as `<none>`. */
export type Cell = string | Int64 | boolean | null

/** One column of a printed kind: its definition in `meta.k8s.io/v1 Table`, and how an object fills it. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number
  readonly cell: (object: KubeObject, context: CellContext) => Cell
}

type Options = Partial<Pick<Column, 'type' | 'format' | 'priority'>>

/** A column of text, unless the options say otherwise. */
export function column(name: string, description: string, cell: Column['cell'], options: Options = {}): Column {
  return { name, type: 'string', format: '', priority: 0, ...options, description, cell }
}

export const integer = (name: string, description: string, cell: Column['cell'], priority = 0): Column =>
  column(name, description, cell, { type: 'integer', priority })

/** A column that only `-o wide` shows. */
export const wide = (name: string, description: string, cell: Column['cell']): Column =>
  column(name, description, cell, { priority: 1 })
