import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProvenCoverage } from './proven-coverage.ts'

const coverage = () => new ProvenCoverage<ReadonlySet<string>>(new Set(), (a, b) => a.intersection(b))
const proven = (of: ReturnType<typeof coverage>): string => [...of.proven].toSorted().join('')

test('a proof for older rules counts for what they and all later rules cover', () => {
  const covered = coverage()
  covered.covers(1, new Set('a'))
  covered.covers(2, new Set('ab'))
  covered.covers(5, new Set('bc'))
  expect(proven(covered)).toBe('')
  covered.prove(0)
  expect(proven(covered)).toBe('')
  // Rules of other systems changed at 3 and 4.
  covered.prove(4)
  expect(proven(covered)).toBe('b')
  covered.prove(5)
  expect(proven(covered)).toBe('bc')
  covered.covers(6, new Set('abc'))
  expect(proven(covered)).toBe('bc')
  covered.covers(7, new Set('c'))
  covered.covers(8, new Set('abc'))
  covered.prove(6)
  expect(proven(covered)).toBe('c')
})

test('whatever is proven is covered by the rules that the API server goes by and by all later ones', () => {
  const letters = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
  const steps = fc.array(fc.oneof({ weight: 5, arbitrary: letters }, fc.nat({ max: 20 })), { maxLength: 300 })
  fc.assert(
    fc.property(steps, (all) => {
      const covered = coverage()
      const history: ReadonlySet<string>[] = []
      let server = -1
      for (const step of all) {
        if (typeof step !== 'number') {
          history.push(new Set(step))
          covered.covers(history.length - 1, new Set(step))
        } else if (history.length > 0) {
          server = Math.max(server, history.length - 1 - step)
          covered.prove(server)
        }
        const certain = history.slice(Math.max(0, server))
        for (const letter of covered.proven) expect(certain.every((one) => one.has(letter))).toBe(true)
        if (server < 0) expect(covered.proven.size).toBe(0)
      }
      covered.prove(history.length - 1)
      expect(covered.proven).toEqual(history.at(-1) ?? new Set())
    }),
  )
})
