import { expect, test } from 'vitest'
import { CLAIM_CONDITIONS } from '../../../src/systems/resource-pool/api/pool-conditions.ts'
import { waitingText } from './waiting-text.ts'

test('has words for each reason for which a claim of a pool waits', () => {
  const reasons = Object.keys(CLAIM_CONDITIONS.Allocated.reasons).filter((one) => one !== 'Allocated')
  expect(reasons.filter((one) => !/^[a-z ]+$/.test(waitingText(one)))).toEqual([])
})

test('shows a reason that it does not know as it is', () => {
  expect(waitingText('Tomorrow')).toBe('Tomorrow')
  expect(waitingText('constructor')).toBe('constructor')
})
