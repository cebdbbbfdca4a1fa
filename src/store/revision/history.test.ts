import { expect, test } from 'vitest'
import { Bucket, type EventPlace } from './bucket.ts'
import { History, HISTORY_AGE_MS, historyBounds } from './history.ts'
import { ObjectCache } from '../record/object-cache.ts'
import { StoredRecord } from '../record/record.ts'

const cache = new ObjectCache(1024, false)
const bucket = new Bucket('things')

/** A history that is written to once a second, each event with so much text, for so long. */
function filled(seconds: number, text: number): { readonly kept: number; readonly idle: (ms: number) => number } {
  let now = 0
  const history = new History(historyBounds({}), 0, () => now)
  let revision = 0
  const append = (): void => {
    revision++
    const record = new StoredRecord(cache, 'things', 'n/a', revision, 1, 'x'.repeat(text))
    const place: EventPlace = bucket.push({ type: 'modified', revision, record })
    history.append(place)
    history.trim(() => {})
  }
  const kept = (): number => [...history.after(0)].length
  for (let second = 0; second < seconds; second++) {
    now += 1000
    append()
  }
  return {
    kept: kept(),
    idle: (ms) => {
      now += ms
      append()
      return kept()
    },
  }
}

test('the events of five minutes are kept, however many they are, while they fit into memory', () => {
  expect(filled(290, 100_000).kept).toBe(290)
})

test('events older than that make room beyond half of the memory', () => {
  const { kept, idle } = filled(300, 100_000)
  expect(kept).toBe(300)
  expect(idle(HISTORY_AGE_MS)).toBeLessThan(kept)
  expect(idle(0)).toBeGreaterThan(150)
})

test('a quiet history keeps what is old', () => {
  expect(filled(100, 100).idle(10 * HISTORY_AGE_MS)).toBe(101)
})

test('memory comes before age', () => {
  expect(filled(299, 1_000_000).kept).toBeLessThan(40)
})
