import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealBy } from '../../../test/operator/ledger-seals.ts'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { ledgerText, readLedgerText } from '../../systems/counted/protocol/ledger-text.ts'
import { EMPTY_LEDGER } from '../../systems/counted/protocol/ledger-state.ts'
import { baseOf, LedgerSeal } from './ledger-seal.ts'

const OWNER = 'u/CustomQuota/n/q/v'
const WRITTEN = { text: '1%p/1//7/2/~sv1~sPod', base: '17' }

test('a sealed text is what a replica wrote: for its ledger and quota, on its version, by the key that replicas share', () => {
  const key = randomBytes(32)
  const sealed = sealBy(key).seal(OWNER, WRITTEN)
  expect(sealBy(key).unsealed(OWNER, sealed)).toMatchObject(WRITTEN)
  expect(baseOf(sealed)).toBe('17')
  for (const [owner, text, by] of [
    ['u/CustomQuota/n/other/v', sealed, key],
    [OWNER, sealed, randomBytes(32)],
    [OWNER, sealed.replace('/2/', '/1/'), key],
    [OWNER, sealed.replace('%M/17/', '%M/18/'), key],
    [OWNER, sealed.slice(0, -1), key],
    [OWNER, `${sealed}%M/17/`, key],
    [OWNER, WRITTEN.text, key],
    [OWNER, '', key],
  ] as const)
    expect(sealBy(by).unsealed(owner, text), text).toBeUndefined()
})

test('a version that knows no seals keeps it like any record of a later version', () => {
  const sealed = sealBy().seal(OWNER, { text: ledgerText(EMPTY_LEDGER), base: '17' })
  expect(ledgerText(readLedgerText(sealed))).toBe(sealed)
})

test('another key is heard of when it is asked for, and not more often than once in a second', async () => {
  const clock = new ManualClock()
  const [first, second] = [randomBytes(32), randomBytes(32)]
  let reads = 0
  const seal = new LedgerSeal(first, () => Promise.resolve(reads++ === 0 ? first : second), clock)
  const foreign = sealBy(second).seal(OWNER, WRITTEN)
  await seal.refresh()
  expect(reads).toBe(0)
  await clock.advance(1_000)
  await Promise.all([seal.refresh(), seal.refresh()])
  expect([reads, seal.unsealed(OWNER, foreign)]).toEqual([1, undefined])
  await clock.advance(1_000)
  await seal.refresh()
  expect(seal.unsealed(OWNER, foreign)).toMatchObject(WRITTEN)
})
