import { expect, test } from 'vitest'
import { tickText } from './tick-text.ts'

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
