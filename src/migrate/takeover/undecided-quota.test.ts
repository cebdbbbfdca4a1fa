import { expect, test } from 'vitest'
import { undecidedQuota } from './undecided-quota.ts'

const quota = { uid: '1', counts: ['pods', 'secrets'] }
const asked = ['pods', 'secrets']

test.each<[string, boolean, readonly string[], readonly string[], readonly string[]]>([
  ['has a ledger, and is asked about', false, ['1'], ['1'], asked],
  ['has no ledger', true, ['1'], [], asked],
  ['counts what no webhook is asked about', true, ['1'], ['1'], ['pods']],
  ['was not ready before', false, ['2'], [], []],
  ['is new', false, [], [], asked],
])('allot is waited for where a quota %s: %s', (_, isWaitedFor, ready, counted, resources) => {
  const found = undecidedQuota([quota], ready, new Set(counted), new Set(resources))
  expect(found).toBe(isWaitedFor ? quota : undefined)
})
