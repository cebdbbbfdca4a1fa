import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isDNS1123Subdomain, isValidLabelValue } from '../../../machinery/names.ts'
import { poolLabelValue, poolQuotaName } from './quota-name.ts'

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
/** Any name that a pool may have. */
const poolName = fc
  .array(label, { minLength: 1, maxLength: 8 })
  .map((labels) => labels.join('.'))
  .filter((name) => name.length <= 253)

test('names within the limits stay what they are', () => {
  fc.assert(
    fc.property(poolName, (pool) => {
      if (pool.length <= 240) expect(poolQuotaName(pool)).toBe(`capsule-pool-${pool}`)
      if (pool.length <= 63) expect(poolLabelValue(pool)).toBe(pool)
    }),
  )
  expect(poolQuotaName('p'.repeat(240))).toHaveLength(253)
})

test('of every pool the quota can be created and the label can be set', () => {
  fc.assert(
    fc.property(poolName, (pool) => {
      expect(isDNS1123Subdomain(poolQuotaName(pool))).toEqual([])
      expect(poolQuotaName(pool)).toMatch(/^capsule-pool-/)
      expect(isValidLabelValue(poolLabelValue(pool))).toEqual([])
    }),
  )
})

test('characters that a label may not hold are replaced', () => {
  expect(isValidLabelValue(poolLabelValue('-harbour/north'))).toEqual([])
  expect(poolLabelValue('-harbour/north')).toMatch(/^harbour-north-[0-9a-f]{16}$/)
})

test('long names that differ anywhere have names of their own', () => {
  const pools = Array.from({ length: 2000 }, (_, at) => `${'berth-'.repeat(40)}${at}`)
  expect(new Set(pools.map(poolQuotaName)).size).toBe(pools.length)
  expect(new Set(pools.map(poolLabelValue)).size).toBe(pools.length)
})

test('a derived name never changes between versions of allot', () => {
  const pool = `${'harbour.'.repeat(31)}north`
  expect(poolQuotaName(pool)).toBe(`capsule-pool-${'harbour.'.repeat(27)}harbour-de012523f9cc7df2`)
  expect(poolLabelValue(pool)).toBe('harbour.harbour.harbour.harbour.harbour.harbou-12d085b68d305f75')
})
