import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import {
  type Condition,
  conditionOf,
  isSameCondition,
  type NewCondition,
  withCondition,
  withoutCondition,
} from './condition.ts'

const FILE = 'capsule/conditions.json'
const BEFORE = '2026-01-01T00:00:00Z'
const NOW = '2026-01-02T03:04:05Z'

type Case = { readonly name: string } & (
  | {
      readonly fn: 'get'
      readonly conditions: readonly NewCondition[]
      readonly type: string
      readonly want: NewCondition | null
    }
  | {
      readonly fn: 'set'
      readonly conditions: readonly NewCondition[]
      readonly set: NewCondition
      readonly wantLen: number
      readonly want: NewCondition
      readonly wantIndex: number
    }
  | {
      readonly fn: 'remove'
      readonly conditions: readonly NewCondition[]
      readonly type: string
      readonly want: readonly NewCondition[]
    }
  | { readonly fn: 'update'; readonly old: NewCondition; readonly new: NewCondition; readonly wantUpdated: boolean }
)

const dated = (conditions: readonly NewCondition[]): readonly Condition[] =>
  conditions.map((condition) => ({ ...condition, lastTransitionTime: BEFORE }))

eachCase(
  FILE,
  vectors<{ readonly cases: readonly Case[] }>(FILE).cases,
  ({ fn, name }) => `${fn}: ${name}`,
  (one) => {
    switch (one.fn) {
      case 'get':
        expect(conditionOf(dated(one.conditions), one.type)).toEqual(
          one.want === null ? undefined : { ...one.want, lastTransitionTime: BEFORE },
        )
        break
      case 'set': {
        const set = withCondition(dated(one.conditions), one.set, NOW)
        expect(set).toHaveLength(one.wantLen)
        expect(set[one.wantIndex]).toEqual({ ...one.want, lastTransitionTime: NOW })
        break
      }
      case 'remove':
        expect(withoutCondition(dated(one.conditions), one.type)).toEqual(dated(one.want))
        break
      case 'update': {
        const old = dated([one.old])
        expect(withCondition(old, one.new, NOW) !== old).toBe(one.wantUpdated)
        break
      }
    }
  },
)

const condition: fc.Arbitrary<NewCondition> = fc.record(
  {
    type: fc.constantFrom('Ready', 'Bound'),
    status: fc.constantFrom('True', 'False'),
    reason: fc.constantFrom('Succeeded', 'Failed'),
    message: fc.constantFrom('', 'reconciled'),
    observedGeneration: fc.constantFrom(1, 2),
  },
  { requiredKeys: ['type', 'status', 'reason', 'message'] },
)

test('any difference renews the time, even when the status stays; no difference gives back the same list', () => {
  fc.assert(
    fc.property(condition, condition, (old, set) => {
      const list = dated([old])
      const after = withCondition(list, set, NOW)
      if (isSameCondition(old, set)) expect(after).toBe(list)
      else expect(conditionOf(after, set.type)).toEqual({ ...set, lastTransitionTime: NOW })
    }),
  )
})

test('types keep the order in which they were first written', () => {
  const write = (list: readonly Condition[], type: string, message: string): readonly Condition[] =>
    withCondition(list, { type, status: 'True', reason: 'Succeeded', message }, NOW)
  const list = write(write(write([], 'Ready', 'a'), 'Bound', 'b'), 'Ready', 'c')
  expect(list.map(({ type, message }) => `${type} ${message}`)).toEqual(['Ready c', 'Bound b'])
})

test('to remove what is not there changes nothing', () => {
  const list = dated([{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '' }])
  expect(withoutCondition(list, 'Bound')).toBe(list)
  expect(conditionOf(undefined, 'Bound')).toBeUndefined()
})
