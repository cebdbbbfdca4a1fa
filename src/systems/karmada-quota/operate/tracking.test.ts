import { expect, test } from 'vitest'
import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import { KarmadaQuotaTracking } from './tracking.ts'

const tracking = new KarmadaQuotaTracking({ caches: { view: () => ({}) } as never })

const { apiVersion, kind } = karmadaQuota
const quotaOf = (spec: KarmadaQuota['spec']): KarmadaQuota =>
  karmadaQuota.read({ apiVersion, kind, metadata: { namespace: 'n', name: 'q', uid: 'u', generation: 1 }, spec })

const valid = quotaOf({ hard: { cpu: '1' } })
const raised = quotaOf({ hard: { cpu: '2' } })
const more = quotaOf({ hard: { cpu: '1', memory: '1' } })
const invalid = quotaOf({ hard: { cpu: '-1' } })
const none = quotaOf({})

test.each([
  ['the same limits', valid, raised, true, true],
  ['a further limit', valid, more, false, false],
  ['one limit less', more, valid, true, false],
  ['no limits', valid, none, true, false],
  ['limits at last', none, valid, false, false],
  ['an error', valid, invalid, true, false],
  ['another error', invalid, quotaOf({ hard: { cpu: '-2' } }), true, true],
  // Its ledger dropped what was reserved: room of requests under way would be given again.
  ['an error mended under the same names', invalid, valid, false, false],
])('a spec counts no more, or alike, than the one before: %s', (_, before, after, countsNoMore, countsAlike) => {
  expect([tracking.countsNoMore(before, after), tracking.countsAlike(before, after)]).toEqual([
    countsNoMore,
    countsAlike,
  ])
})
