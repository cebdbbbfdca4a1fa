import { expect, test } from 'vitest'
import { compiled, CPU_PATH, podWith } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { LedgerRefusal } from '../../counted/protocol/ledger-errors.ts'
import { MeasureError } from './measure-error.ts'
import { costOf } from './object-cost.ts'
import { exceededText, notReadyText, uncountedText, unmeasurableText } from './refusal.ts'

const group = 'capsule.clastix.io'
const quota = (name: string, namespace = 'harbour'): BudgetRef => ({
  group,
  kind: namespace === '' ? 'GlobalCustomQuota' : 'CustomQuota',
  namespace,
  name,
})
const refusal = (budget: BudgetRef, limit: string, used: string, more: Partial<LedgerRefusal> = {}): LedgerRefusal => ({
  reason: 'exceeded',
  code: 403,
  budget,
  excesses: [],
  requested: Quantity.parse('2'),
  used: Quantity.parse(used),
  usedByOthers: Quantity.parse(used),
  reserved: Quantity.zero,
  reservedByOthers: Quantity.zero,
  limit: Quantity.parse(limit),
  ...more,
})

test('a refusal has the words of Capsule, with the amounts before the request, and says what would fit', () => {
  const refused = refusal(quota('cranes'), '3', '2', { reserved: Quantity.parse('1') })
  expect(exceededText('CREATE', [refused])).toBe(
    'creating resource exceeds limit for CustomQuota "cranes" (requested=2, currentUsed=2, available=1, limit=3, inflightReserved=1); at most 1 would fit',
  )
})

test('a refusal that reserved room alone causes says so, and how much is reserved', () => {
  const held = (ref: BudgetRef, reserved: string, used = '3'): LedgerRefusal =>
    refusal(ref, '3', used, { reserved: Quantity.parse(reserved), reservedByOthers: Quantity.parse(reserved) })
  expect(exceededText('CREATE', [held(quota('cranes'), '2')])).toMatch(
    /inflightReserved=2\); at most 0 would fit; 2 is reserved by requests that are not stored yet, and may be given back$/,
  )
  expect(exceededText('CREATE', [held(quota('a'), '3'), held(quota('b'), '2')])).toMatch(
    /; 3 of CustomQuota "a", 2 of CustomQuota "b" is reserved by requests that are not stored yet, and may be given back$/,
  )
  // Without it there is not enough room either.
  expect(exceededText('CREATE', [held(quota('cranes'), '1')])).not.toContain('given back')
  expect(exceededText('CREATE', [held(quota('a'), '3'), held(quota('b'), '1')])).not.toContain('given back')
  // The room that the object itself has reserved is its own.
  const own = refusal(quota('cranes'), '3', '4', { usedByOthers: Quantity.parse('2'), reserved: Quantity.parse('2') })
  expect(exceededText('UPDATE', [own])).not.toContain('given back')
})

test('an update may use what the object uses already', () => {
  const refused = refusal(quota('cranes'), '1Gi', '1Gi', { usedByOthers: Quantity.parse('256Mi') })
  expect(exceededText('UPDATE', [refused])).toBe(
    'updating resource exceeds limit for CustomQuota "cranes" (requested=2, currentUsed=1Gi, available=0, limit=1Gi, inflightReserved=0); at most 768Mi would fit',
  )
})

test('a quota over its limit has nothing left, and not less', () => {
  expect(exceededText('CREATE', [refusal(quota('cranes'), '3', '9')])).toMatch(/available=0, .*; at most 0 would fit$/)
})

test('an object that is subtracted from a sum reads how much it must lower the sum, and the sum as the status shows it', () => {
  const refused = refusal(quota('cranes'), '10', '-6', {
    requested: Quantity.parse('-1'),
    usedByOthers: Quantity.parse('94'),
  })
  expect(exceededText('UPDATE', [refused])).toBe(
    'updating resource exceeds limit for CustomQuota "cranes" (requested=-1, currentUsed=0, available=10, limit=10, inflightReserved=0); at most -84 would fit',
  )
})

test('every quota that refuses is named: the smallest limit first, then global ones, by namespace and name', () => {
  const refused = [
    refusal(quota('b', 'quay'), '10', '9'),
    refusal(quota('c', 'harbour'), '10', '9'),
    refusal(quota('a', 'harbour'), '10', '9'),
    refusal(quota('z', ''), '10', '9'),
    refusal(quota('y'), '9500m', '9'),
  ] as const
  const text = exceededText('CREATE', refused)
  expect(text.match(/(?:limit for|also refused by) \w+ "\w"/g)).toEqual([
    'limit for CustomQuota "y"',
    'also refused by GlobalCustomQuota "z"',
    'also refused by CustomQuota "a"',
    'also refused by CustomQuota "c"',
    'also refused by CustomQuota "b"',
  ])
  expect(text).toContain('; at most 500m would fit in CustomQuota "y", 1 would fit in GlobalCustomQuota "z"')
  expect(exceededText('CREATE', [refused[4], refused[0], refused[1], refused[2], refused[3]])).toBe(text)
})

function measureError(source: Readonly<Record<string, unknown>>): MeasureError {
  try {
    costOf(compiled({ sources: [source] }, true), podWith(undefined))
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
  return expect.unreachable('it was measured')
}

test('an object that cannot be measured is refused in the words of Capsule', () => {
  const error = measureError({ kind: 'Pod', path: CPU_PATH })
  expect(unmeasurableText('CREATE', podWith(undefined), quota('cranes'), error)).toBe(
    'creating resource harbour/crane (/v1, Kind=Pod) cannot be admitted because custom quota usage could not be calculated: CustomQuota "cranes" source path ".spec.containers[*].resources.requests.cpu" cel "" op "add" did not resolve to a valid quantity: quantity path did not resolve to any value',
  )
  expect(unmeasurableText('UPDATE', podWith(undefined), quota('cranes'), error)).toMatch(
    /^updating resource .* because new custom quota usage could not be calculated: /,
  )
  expect(uncountedText(podWith(undefined), error)).toBe(
    'get usage from harbour/crane (/v1, Kind=Pod) path ".spec.containers[*].resources.requests.cpu" cel "" op "add": quantity path did not resolve to any value',
  )
})

test('a selector that cannot be evaluated is named with the object and the quota', () => {
  const error = measureError({ kind: 'Pod', op: 'count', selectors: [{ fieldSelectors: ['.spec.containers[7].x'] }] })
  const reason = 'execute usage jsonpath: array index out of bounds: index 7, length 1'
  expect(unmeasurableText('CREATE', podWith(undefined), quota('cranes'), error)).toBe(
    `evaluate selectors for harbour/crane on CustomQuota harbour/cranes: ${reason}`,
  )
  expect(unmeasurableText('CREATE', podWith(undefined), quota('cranes', ''), error)).toBe(
    `evaluate selectors for harbour/crane on GlobalCustomQuota cranes: ${reason}`,
  )
  expect(uncountedText(podWith(undefined), error)).toBe(
    `evaluate selectors for harbour/crane (/v1, Kind=Pod): ${reason}`,
  )
})

test('a quota that is not ready is named with its generation', () => {
  expect(notReadyText(quota('cranes'), 3)).toBe('CustomQuota harbour/cranes is not ready for generation 3')
  expect(notReadyText(quota('cranes', ''), 3n)).toBe('GlobalCustomQuota cranes is not ready for generation 3')
})
