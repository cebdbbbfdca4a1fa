import { expect, test } from 'vitest'
import { shownPart } from './shown-part.ts'

const object = (annotations: Readonly<Record<string, string>>, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', annotations },
  ...more,
})

test('short annotations stay, and of many long ones no more than a bound', () => {
  expect(shownPart(object({ a: 'b' })).metadata.annotations).toEqual({ a: 'b' })
  const long = Object.fromEntries(Array.from({ length: 62 }, (_, at) => [`a${at}`, 'x'.repeat(4096)]))
  const kept = shownPart(object({ ...long, short: 'kept' })).metadata.annotations ?? {}
  expect(kept['short']).toBe('kept')
  expect(JSON.stringify(kept).length).toBeLessThan(9000)
})

test('of a long message the beginning stays', () => {
  expect(shownPart(object({}, { message: 'm'.repeat(100_000) }))).toMatchObject({ message: 'm'.repeat(4096) })
})
