import { expect, test } from 'vitest'
import { formatMark, newerFormat } from './kept-format.ts'

const secret = (annotations?: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'system', name: 'keys', ...(annotations === undefined ? {} : { annotations }) },
})

test('formats up to the known one are read, and objects from before there were formats', () => {
  for (const object of [secret(), secret({}), secret(formatMark(1)), secret(formatMark(2))])
    expect(newerFormat(object, 2)).toBeUndefined()
})

test('a later format is named with its object, and so is one that is no number', () => {
  expect(newerFormat(secret(formatMark(3)), 2)).toBe(
    'the Secret system/keys has the format "3", and this version of allot reads 2',
  )
  for (const format of ['', '-1', '1.0', '1e0', ' 1', 'next', '9'.repeat(30)])
    expect(newerFormat(secret({ 'allot.dev/format': format }), 2)).toContain('has the format')
  expect(
    newerFormat({ apiVersion: 'v1', kind: 'Pool', metadata: { name: 'p', annotations: formatMark(2) } }, 1),
  ).toContain('the Pool p has the format "2"')
})
