import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFileSync } from 'node:fs'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { compileSchema } from '../../type/compile.ts'
import type { Type } from '../../type/type.ts'
import { compareShaped } from '../field/compare-objects.ts'
import { createdFields } from './created-fields.ts'
import { fieldSet, type FieldSet, union } from '../field/field-set.ts'
import { UntypedValueError } from '../field/list-item.ts'
import { owned, withoutReset } from './field-manager-conflicts.ts'
import { shapeOf } from '../field/merge-shape.ts'
import { refuseUntyped, toFieldSet } from '../field/to-field-set.ts'
import { zeroObject } from '../zero-object.ts'

const { definitions } = JSON.parse(
  readFileSync(new URL('../../../../schemas/kubernetes-1.36-definitions.json', import.meta.url), 'utf8'),
)
const schemas = compileSchema(definitions)
const KINDS = [
  'apps.v1.Deployment',
  'autoscaling.v2.HorizontalPodAutoscaler',
  'core.v1.ConfigMap',
  'core.v1.Event',
  'core.v1.Pod',
  'core.v1.Service',
  'rbac.v1.Role',
]
const RESETS = [undefined, fieldSet(['status']), fieldSet(['spec'])]

/** Returns the result of a comparison with the zero object, without the fields that no manager owns. */
function compared(type: Type, created: JsonObject, reset: FieldSet | undefined): FieldSet {
  const { added, modified } = compareShaped(shapeOf(type), zeroObject(type), created)
  return owned(union(withoutReset(modified, reset), withoutReset(added, reset)))
}

const outcome = (find: () => unknown): unknown => {
  try {
    return JSON.stringify(find())
  } catch (error) {
    if (error instanceof UntypedValueError) return error.message
    throw error
  }
}

/** Is there anything in a value that its type does not allow, duplicates of items included? */
function mistakes(type: Type, value: JsonObject): boolean {
  try {
    toFieldSet(shapeOf(type), value)
    refuseUntyped(shapeOf(type), value)
    return false
  } catch (error) {
    return error instanceof UntypedValueError
  }
}

const LEAVES: readonly unknown[] = [null, '', 'a', 'b', 0, 1, true, {}, [], ['a', 'a'], { name: 'a' }]

/** A value that mostly fits the type: what it is, `choose` says. */
function valueOf(type: Type, choose: (among: number) => number, depth: number): unknown {
  const leaf = (): unknown => LEAVES[choose(LEAVES.length)]
  if (depth === 0 || choose(12) === 0) return leaf()
  const inside = (inner: Type): unknown => valueOf(inner, choose, depth - 1)
  if (type.kind === 'object')
    return Object.fromEntries(
      [...type.fields.values()].filter(() => choose(3) === 0).map(({ name, type: inner }) => [name, inside(inner)]),
    )
  if (type.kind === 'map') return { a: inside(type.values), 'x.y/b': inside(type.values) }
  return type.kind === 'list' ? Array.from({ length: choose(3) }, () => inside(type.items)) : leaf()
}

test('a new object is owned as a comparison with nothing finds it, whatever it holds', () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.constantFrom(...RESETS), fc.gen(), (kind, reset, gen) => {
      const type = schemas.type(`io.k8s.api.${kind}`)
      const created = valueOf(type, (among) => gen(fc.nat, { max: among - 1 }), 6)
      fc.pre(isObject(created))
      const once = createdFields(shapeOf(type), zeroObject(type), created, reset)
      const whole = outcome(() => compared(type, created, reset))
      // With a mistake somewhere the comparison decides.
      if (once === undefined) expect(mistakes(type, created)).toBe(true)
      else expect(JSON.stringify(once)).toBe(whole)
    }),
    { numRuns: 400 },
  )
})

test('an object that is owned as a whole, or by nobody, has no fields', () => {
  const type = schemas.type('io.k8s.api.core.v1.Pod')
  expect(createdFields(shapeOf(type), {}, 'a text')).toBeUndefined()
  const created = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', uid: 'b' }, spec: {}, status: {} }
  expect(createdFields(shapeOf(type), zeroObject(type), created)).toEqual({})
})

test('a mistake in a duplicate of an item leaves the object to the comparison', () => {
  const type = schemas.type('io.k8s.api.core.v1.Service')
  const created = { status: { conditions: [{ message: 'a' }, { name: 'a' }] } }
  expect(createdFields(shapeOf(type), zeroObject(type), created, fieldSet(['status']))).toBeUndefined()
  expect(compared(type, created, fieldSet(['status']))).toEqual({})
})
