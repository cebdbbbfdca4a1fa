// Covers quota-count.ts: its sums.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QuotaCount } from './quota-count.ts'

test('a count finds nothing exactly while there are selected objects and all are empty, and says each change of that', () => {
  const step = fc.record({
    namespace: fc.constantFrom('a', 'b'),
    isEmpty: fc.boolean(),
    action: fc.constantFrom('come', 'go', 'select'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const selected = new Set(['a'])
      const objects: { readonly namespace: string; readonly isEmpty: boolean }[] = []
      let heard = 0
      const count = new QuotaCount(undefined, selected, () => heard++)
      const expected = (): boolean => {
        const there = objects.filter(({ namespace }) => selected.has(namespace))
        return there.length > 0 && there.every(({ isEmpty }) => isEmpty)
      }
      for (const { namespace, isEmpty, action } of steps) {
        const before = expected()
        const heardBefore = heard
        if (action === 'come') {
          objects.push({ namespace, isEmpty })
          count.saw(namespace, 1, isEmpty)
        } else if (action === 'go') {
          const at = objects.findIndex((one) => one.namespace === namespace && one.isEmpty === isEmpty)
          if (at !== -1) {
            objects.splice(at, 1)
            count.saw(namespace, -1, isEmpty)
          }
        } else {
          const isSelected = !selected.has(namespace)
          if (isSelected) selected.add(namespace)
          else selected.delete(namespace)
          count.reselect(namespace, isSelected)
        }
        expect(count.findsNothing).toBe(expected())
        if (expected() !== before) expect(heard).toBeGreaterThan(heardBefore)
      }
    }),
  )
})
