import { expect, test } from 'vitest'
import { drawnUnit, tickText } from './tick-text.ts'

test.each([
  [0, 'pods', '10', '0'],
  [950, 'pods', '10', '950'],
  [2500, 'pods', '10k', '2.5k'],
  [12_000_000, 'limit', '20M', '12M'],
  [3e9, 'count/secrets', '5e9', '3G'],
  [0.5, 'limits.cpu', '1', '0.5'],
  [1536 * 1024, 'limits.memory', '4', '1.5 MiB'],
  [2 ** 33, 'limit', '10Gi', '8 GiB'],
  [2 ** 62, 'requests.storage', '8Ei', '4 EiB'],
])('marks %d of %s with the limit %s as %s', (tick, resource, hard, text) =>
  expect(tickText(tick, resource, hard)).toBe(text),
)

test.each([
  [10, 'pods', '10', 1],
  [999_999, 'pods', '1M', 1],
  [5e6, 'pods', '5M', 1000],
  [2 ** 30, 'limits.memory', '1Gi', 1024 ** 2],
  [2 ** 63, 'limits.memory', '9223372036854775807', 1024 ** 5],
])('draws up to %d of %s with the limit %s in units of %d', (most, resource, hard, unit) => {
  expect(drawnUnit(most, resource, hard)).toBe(unit)
})

test('no axis has too many digits for its marks, whatever the limit', () => {
  for (let digits = 0; digits < 300; digits++)
    for (const resource of ['pods', 'limits.cpu', 'limits.memory'])
      expect(10 ** digits / drawnUnit(10 ** digits, resource, '1')).toBeLessThan(2 ** 20)
})
