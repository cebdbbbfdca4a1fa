import { expect, test } from 'vitest'
import { missingTexts } from './missing-texts.ts'

const CUT = {
  resource: 'events',
  reason: 'they are too large to be read here: the first 9 are shown, the others are left out',
}
const REFUSED = { resource: 'resourcequotas', reason: 'you may not list them in all namespaces' }

test('tells of what could not be read and of rows that are left out, and not of what the viewer may not list', () => {
  expect(missingTexts({}, 'refusals')).toEqual([])
  expect(missingTexts({ notSeen: [REFUSED], isWhole: true }, 'refusals')).toEqual([])
  expect(missingTexts({ notSeen: [REFUSED, CUT], isWhole: false }, 'refusals')).toEqual([
    `events: ${CUT.reason}`,
    'there are more refusals than one answer holds',
  ])
})
