import { expect, test } from 'vitest'
import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import type { Evaluator } from '../evaluator.ts'
import { QUOTA_EVALUATORS } from '../evaluators/table.ts'
import { canBeMetTogether } from './met-together.ts'

function evaluatorOf(resource: string): Evaluator {
  const found = QUOTA_EVALUATORS.of({ group: '', resource })
  if (found === undefined) throw new Error(`${resource} are not charged`)
  return found
}

const PODS = evaluatorOf('pods')
const classes = (operator: string, ...values: readonly string[]): ScopeRequirement => ({
  scopeName: 'PriorityClass',
  operator,
  values,
})
const exists = (scopeName: string): ScopeRequirement => ({ scopeName, operator: 'Exists' })
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `class-${at}`)

test('a kind without scopes meets no requirement, and all of none', () => {
  expect(canBeMetTogether(evaluatorOf('secrets'), [])).toBe(true)
  expect(canBeMetTogether(evaluatorOf('secrets'), [exists('Terminating')])).toBe(false)
  expect(canBeMetTogether(PODS, [])).toBe(true)
})

test('a kind with scopes and without examples of them meets no requirement', () => {
  const { scopeExamples: _, ...blind } = PODS
  expect(canBeMetTogether(blind, [exists('Terminating')])).toBe(false)
  const { scopes: __, ...unscoped } = PODS
  expect(canBeMetTogether(unscoped, [exists('Terminating')])).toBe(false)
})

test.each<readonly [string, readonly ScopeRequirement[], boolean]>([
  ['one scope', [exists('Terminating')], true],
  ['two scopes that exclude each other', [exists('Terminating'), exists('NotTerminating')], false],
  ['a class that is none of the mentioned', [exists('PriorityClass'), classes('NotIn', 'a')], true],
  ['a class that is not called other', [exists('PriorityClass'), classes('NotIn', 'other')], true],
  ['a class besides two others', [exists('PriorityClass'), classes('NotIn', 'other', 'other-other')], true],
  ['a class and none', [exists('PriorityClass'), classes('DoesNotExist')], false],
  ['a scope of other kinds', [exists('VolumeAttributesClass')], false],
  ['one that is unreadable', [classes('In')], true],
  ['an operator that there is not', [{ scopeName: 'PriorityClass', operator: 'Like', values: ['a'] }], true],
])('whether a pod meets %s', (_, requirements, isMet) => {
  expect(canBeMetTogether(PODS, requirements)).toBe(isMet)
})

test('up to sixteen values are tried, and from there on an object is taken to be possible', () => {
  const none = { scopeName: 'PriorityClass', operator: 'DoesNotExist' }
  expect(canBeMetTogether(PODS, [classes('In', ...many(16)), none])).toBe(false)
  expect(canBeMetTogether(PODS, [classes('In', ...many(17)), none])).toBe(true)
})

test('a scope of other kinds is met by nothing, however many values there are', () => {
  const other = { scopeName: 'VolumeAttributesClass', operator: 'In', values: many(17) }
  expect(canBeMetTogether(PODS, [other])).toBe(false)
  expect(canBeMetTogether(PODS, [exists('Terminating'), other])).toBe(false)
})

test('an error that is not about the requirement is thrown', () => {
  const broken: Evaluator = {
    ...PODS,
    scopes: new Map([
      [
        'Terminating',
        () => {
          throw new TypeError('broken')
        },
      ],
    ]),
  }
  expect(() => canBeMetTogether(broken, [exists('Terminating')])).toThrow(TypeError)
})
