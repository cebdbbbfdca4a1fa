// Covers patch.ts and track-update.ts, by recorded cases.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { compileSchema, type SchemaDefinitions } from '../type/compile.ts'
import type { Field, ObjectType } from '../type/type.ts'
import { applyPatch } from './patch.ts'
import { conflictError } from './manager/conflict-error.ts'
import { fieldSet } from './field/field-set.ts'
import { trackUpdate } from './track-update.ts'

interface Case {
  readonly op: 'apply' | 'update'
  readonly manager: string
  readonly force: boolean
  readonly subresource: string
  readonly reset?: readonly (readonly string[])[]
  readonly live?: JsonObject
  readonly object: JsonObject
  readonly expected: { error?: string; conflicts?: number; object?: JsonObject; managedFields?: JsonObject[] }
}

const text = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const [head = '', ...lines] = text('upstream-cases.jsonl').trimEnd().split('\n')
const { definitions } = JSON.parse(head) as { definitions: SchemaDefinitions }
const cases = lines.map((line) => JSON.parse(line) as Case)
const builtIn = JSON.parse(text('../../../schemas/kubernetes-1.36-definitions.json')) as {
  definitions: SchemaDefinitions
}
const schemas = compileSchema({ ...builtIn.definitions, ...definitions })
const type = schemas.type('test.Thing')
const two = schemas.type('test.Two') as ObjectType
Object.assign(two.fields.get('protocol') as Field, { default: 'TCP' })

function answer(one: Case): Case['expected'] {
  const request = {
    type,
    live: one.live,
    manager: one.manager,
    apiVersion: 'test.io/v1',
    subresource: one.subresource,
    time: '2023-11-14T22:13:20Z',
    resetFields: one.reset && fieldSet(...one.reset),
  }
  if (one.op === 'update') return { managedFields: [...trackUpdate({ ...request, updated: one.object })] }
  try {
    const result = applyPatch({ ...request, applied: one.object, force: one.force, kind: 'Thing' })
    if ('conflicts' in result) {
      return { error: conflictError(result.conflicts).message, conflicts: result.conflicts.length }
    }
    const { managedFields: _managedFields, ...metadata } = result.object['metadata'] as JsonObject
    return { object: { ...result.object, metadata }, managedFields: [...result.managedFields] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: error.message }
  }
}

describe('requests that Kubernetes answered', () => {
  test.each(cases.map((one, index) => ({ ...one, index })))('$index: $op by $manager', (one) => {
    const before = JSON.stringify(one)
    expect(answer(one)).toMatchObject(one.expected)
    expect(JSON.stringify(one)).toBe(before)
  })
})
