import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENOUGH_PROBES, PROOF_MS, ProvenCallers } from './proven.ts'

const STRANGER = 'a pod'

/** A step of a cluster: time passes, or an API server's probe arrives. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: PROOF_MS }).map((ms) => ({ ms })) },
  { weight: 9, arbitrary: fc.record({ from: fc.integer({ min: 1, max: 4 }), further: fc.boolean() }) },
  // Many of one API server in a row.
  { weight: 2, arbitrary: fc.record({ from: fc.integer({ min: 1, max: 4 }), times: fc.constant(ENOUGH_PROBES) }) },
)

test('only addresses of probes are proven, and nobody is a stranger before enough probes have come from elsewhere', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat({ max: 60 }), (steps, waitsAt) => {
      const callers = new ProvenCallers()
      const last = new Map<string, number>()
      let [now, inARow, sinceWait, from] = [0, 0, 0, 0]
      const isKnown = (address: string): boolean => now - (last.get(address) ?? -Infinity) < PROOF_MS
      for (const [at, one] of steps.entries()) {
        if (at === waitsAt) [from, sinceWait] = [callers.probes, 0]
        if ('ms' in one) now += one.ms
        else
          for (let time = 0; time < ('times' in one ? one.times : 1); time++) {
            const address = `api server ${one.from}`
            const counts = !('further' in one && one.further)
            inARow = isKnown(address) ? inARow + Number(counts) : 0
            sinceWait += Number(counts)
            callers.arrived(address, now, !counts)
            last.set(address, now)
          }
        for (let server = 1; server <= 4; server++)
          expect(callers.isProven(`api server ${server}`, now)).toBe(isKnown(`api server ${server}`))
        const early = callers.verdict(STRANGER, from, now, false)
        expect(early).toBe(Math.min(inARow, sinceWait) >= ENOUGH_PROBES ? 'stranger' : undefined)
        const over = callers.verdict(STRANGER, from, now, true)
        expect(over).toBe(early ?? (callers.areAllKnown(now) ? 'late' : 'unprovable'))
      }
    }),
  )
})

describe('nobody is kept out', () => {
  test('where each probe comes from another address', () => {
    const callers = new ProvenCallers()
    for (let probe = 0; probe < 10 * ENOUGH_PROBES; probe++) callers.arrived(`agent ${probe}`, probe)
    expect(callers.verdict(STRANGER, 0, 1000, true)).toBe('unprovable')
  })

  test('where no probe has arrived for long', () => {
    const callers = new ProvenCallers()
    for (let probe = 0; probe <= ENOUGH_PROBES; probe++) callers.arrived('api server', 0)
    expect(callers.verdict(STRANGER, callers.probes, PROOF_MS - 1, true)).toBe('late')
    expect(callers.verdict(STRANGER, callers.probes, PROOF_MS, true)).toBe('unprovable')
  })
})

test('a thousand addresses are remembered, those of which nothing was heard for longest are not', () => {
  const callers = new ProvenCallers()
  for (let address = 0; address < 1500; address++) callers.arrived(String(address), 0)
  expect(callers.count(0)).toBe(1000)
  expect([callers.isProven('499', 0), callers.isProven('500', 0)]).toEqual([false, true])
})
