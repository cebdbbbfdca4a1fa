import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownWindow } from './shown-window.ts'

const ROW = 44

test('has every row that is seen, and not many more', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(2_000_000), fc.integer({ min: 1, max: 2_000 }), (count, scrolled, height) => {
      const { first, end } = shownWindow(count, ROW, scrolled, height)
      const top = Math.max(0, Math.min(scrolled, count * ROW - height))
      const [firstSeen, lastSeen] = [Math.floor(top / ROW), Math.min(count, Math.ceil((top + height) / ROW))]
      expect(first).toBeLessThanOrEqual(Math.max(0, firstSeen))
      expect(end).toBeGreaterThanOrEqual(lastSeen)
      expect(end - first).toBeLessThanOrEqual(Math.ceil(height / ROW) + 18)
      expect(end).toBeLessThanOrEqual(count)
    }),
  )
})
