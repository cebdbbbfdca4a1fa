import { CelCompileError } from './types/error.ts'
import { OBJECT_WORK } from './evaluate-rules.ts'
import { compileCel, PER_CALL_LIMIT } from './program.ts'
import type { CelActivation, CelOptions, CelProgram } from './program.ts'
import { shapeOfSchema } from './types/schema-shape.ts'
import type { SchemaShape } from './types/schema-shape.ts'
import { AUTHORIZER, BOOL, formatType, RESOURCE_CHECK, sameType, typeName } from './types/cel-type.ts'
import type { CelType } from './types/cel-type.ts'

/** The most that the match conditions of one webhook may cost together, for one request. */
const MATCH_CONDITIONS_BUDGET = 2_500_000

const text = { type: 'string' }
const texts = { type: 'array', items: text }
const kind = { type: 'object', properties: { group: text, version: text, kind: text } }
const resource = { type: 'object', properties: { group: text, version: text, resource: text } }

const REQUEST_SCHEMA = {
  type: 'object',
  properties: {
    kind,
    resource,
    subResource: text,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo: {
      type: 'object',
      properties: { username: text, uid: text, groups: texts, extra: { type: 'object', additionalProperties: texts } },
    },
    dryRun: { type: 'boolean' },
    options: { 'x-kubernetes-int-or-string': true },
  },
}

/** Returns the shape of `request` in expressions of admission: the members of an AdmissionRequest, the objects aside. */
export function admissionRequestShape(): SchemaShape {
  const shape = shapeOfSchema(REQUEST_SCHEMA, false, 'kubernetes.AdmissionRequest')
  const options = shape?.fields?.get('options')
  if (shape?.fields === undefined || options === undefined) throw new Error('the schema of requests is an object')
  // The name of the field is not a reserved word here, as the type is not made from a schema upstream.
  const plain = [...shape.fields].map(([name, one]) => [name.replace(/^__(.+)__$/, '$1'), one] as const)
  const fields = new Map(
    plain.map(([name, one]) => [name, name === 'options' ? { ...one, json: 'any' as const } : one]),
  )
  const types = new Map([...fields].map(([name, one]): [string, CelType] => [name, one.type]))
  return { ...shape, fields, type: { kind: 'struct', name: 'kubernetes.AdmissionRequest', fields: types } }
}

/**
 * Compiles one of a webhook's `matchConditions`, which sees `object`, `oldObject` (null where there is none), `request`
 * and `authorizer`. Throws `CelCompileError` with the words of Kubernetes.
 */
export function compileMatchCondition(expression: string, request: SchemaShape, more: Compiling = {}): CelProgram {
  const program = compile(expression, request, more)
  if (sameType(program.outputType, BOOL)) return program
  const got = program.outputType.kind === 'null' ? typeName(program.outputType) : formatType(program.outputType)
  throw new CelCompileError(`must evaluate to bool but got ${got}`, [])
}

/**
 * Do all of a webhook's compiled conditions hold for a request? One that is false decides, whatever the others give; else the errors of
 * those that could not be evaluated, each with the index of its condition (upstream `matchconditions.Matcher`). All of them share
 * the bounds of one request.
 */
export function matchConditionsHold(
  programs: readonly CelProgram[],
  activation: CelActivation,
): boolean | readonly MatchConditionError[] {
  const errors: MatchConditionError[] = []
  let left = MATCH_CONDITIONS_BUDGET
  let work = OBJECT_WORK
  for (const [index, program] of programs.entries()) {
    const { result, ...spent } = program.run(activation, { maxCost: Math.min(left, PER_CALL_LIMIT), maxWork: work })
    left -= spent.cost
    work -= spent.work
    if ('error' in result) errors.push({ index, message: result.error.message })
    else if (result.value !== true) return false
  }
  return errors.length === 0 ? true : errors
}

export interface MatchConditionError {
  /** Of the condition among those of its webhook. */
  readonly index: number
  readonly message: string
}

type Compiling = Pick<CelOptions, 'limits' | 'work'>

function compile(expression: string, request: SchemaShape, more: Compiling): CelProgram {
  const variables = {
    object: {},
    oldObject: {},
    request: { shape: request },
    authorizer: { own: AUTHORIZER },
    'authorizer.requestResource': { own: RESOURCE_CHECK },
  }
  try {
    return compileCel(expression, { variables, ...more })
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    const what = error.phase === 'compile' ? 'compilation failed' : 'program instantiation failed'
    throw new CelCompileError(`${what}: ${error.message}`, error.issues, error.phase)
  }
}
