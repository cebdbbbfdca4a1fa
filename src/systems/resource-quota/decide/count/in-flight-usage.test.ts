import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../../../../quantity/quantity.ts'
import { parseResourceList, type ResourceList } from '../../../../quantity/resource-list.ts'
import { InFlightUsage, increases, usageToWrite } from './in-flight-usage.ts'

const PATIENCE = 100
type List = Readonly<Record<string, string>>
const list = (amounts: List): ResourceList => parseResourceList(amounts)
const texts = (amounts: ResourceList): List =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount.toString()]))
const begun = (...charges: readonly (readonly [amounts: List, version: string, at: number])[]): InFlightUsage => {
  const usage = new InFlightUsage(PATIENCE)
  for (const [amounts, version, at] of charges) usage.raised(list(amounts), version, at)
  return usage
}

describe('what is in flight', () => {
  test('is the sum of the charges, by resource, without zeros', () => {
    expect(texts(begun().amounts(0))).toEqual({})
    const usage = begun([{ cpu: '1', memory: '0' }, '1', 0], [{ cpu: '500m', pods: '1' }, '2', 1])
    expect(texts(usage.amounts(1))).toEqual({ cpu: '1500m', pods: '1' })
  })

  test('loses what an object costs, of the oldest charges first', () => {
    const usage = begun([{ cpu: '1', pods: '1' }, '1', 0], [{ cpu: '2', pods: '1' }, '2', 10])
    usage.observed(list({ cpu: '1', pods: '1' }), '3', 20)
    expect(texts(usage.amounts(20))).toEqual({ cpu: '2', pods: '1' })
    expect(usage.lapsesAt).toBe(110)
  })

  test('loses the rest of an object of the next charge', () => {
    const usage = begun([{ cpu: '1' }, '1', 0], [{ cpu: '2' }, '2', 10])
    usage.observed(list({ cpu: '2' }), '3', 20)
    expect(texts(usage.amounts(20))).toEqual({ cpu: '1' })
    expect(usage.lapsesAt).toBe(110)
  })

  test('keeps what an object pays off only in part, until it lapses', () => {
    const usage = begun([{ cpu: '3', memory: '1' }, '1', 0])
    usage.observed(list({ cpu: '1', pods: '1' }), '2', 10)
    expect(texts(usage.amounts(10))).toEqual({ cpu: '2', memory: '1' })
    expect(usage.lapsesAt).toBe(100)
  })

  test('is nothing after an object that cost more', () => {
    const usage = begun([{ cpu: '1' }, '1', 0])
    usage.observed(list({ cpu: '3' }), '2', 10)
    expect(texts(usage.amounts(10))).toEqual({})
    expect(usage.lapsesAt).toBeUndefined()
  })

  test('lapses charge by charge', () => {
    const usage = begun([{ cpu: '1' }, '1', 0], [{ cpu: '2' }, '2', 50])
    expect(usage.lapsesAt).toBe(100)
    expect(texts(usage.amounts(99))).toEqual({ cpu: '3' })
    expect(texts(usage.amounts(100))).toEqual({ cpu: '2' })
    expect(usage.lapsesAt).toBe(150)
    expect(texts(usage.amounts(150))).toEqual({})
    expect(usage.lapsesAt).toBeUndefined()
  })

  test('that has lapsed is not paid off by an object', () => {
    const usage = begun([{ cpu: '1' }, '1', 0])
    usage.observed(list({ cpu: '1' }), '5', 100)
    usage.raised(list({ cpu: '1' }), '4', 101)
    expect(texts(usage.amounts(101))).toEqual({})
  })
})

describe('an object that is observed before its charge', () => {
  const early = (amounts: List, version: string, at: number): InFlightUsage => {
    const usage = new InFlightUsage(PATIENCE)
    usage.observed(list(amounts), version, at)
    return usage
  }

  test('pays it off, and not a second one', () => {
    const usage = early({ cpu: '1', memory: '0' }, '9', 0)
    expect(usage.lapsesAt).toBeUndefined()
    usage.raised(list({ cpu: '1' }), '5', 1)
    expect(texts(usage.amounts(1))).toEqual({})
    usage.raised(list({ cpu: '1' }), '6', 2)
    expect(texts(usage.amounts(2))).toEqual({ cpu: '1' })
  })

  test('leaves the rest of the charge in flight', () => {
    const usage = early({ cpu: '1', pods: '1' }, '9', 0)
    usage.raised(list({ cpu: '3', memory: '1' }), '5', 1)
    expect(texts(usage.amounts(1))).toEqual({ cpu: '2', memory: '1' })
    expect(usage.lapsesAt).toBe(101)
  })

  test('keeps its rest for the next charge', () => {
    const usage = early({ cpu: '3' }, '9', 0)
    usage.raised(list({ cpu: '1' }), '5', 1)
    usage.raised(list({ cpu: '3' }), '6', 2)
    expect(texts(usage.amounts(2))).toEqual({ cpu: '1' })
  })

  test('pays off no charge that comes after its patience', () => {
    const before = early({ cpu: '1' }, '9', 0)
    before.raised(list({ cpu: '1' }), '5', 99)
    expect(texts(before.amounts(99))).toEqual({})
    const after = early({ cpu: '1' }, '9', 0)
    after.raised(list({ cpu: '1' }), '5', 100)
    expect(texts(after.amounts(100))).toEqual({ cpu: '1' })
  })

  test('is forgotten alone, and another that came later is not', () => {
    const usage = early({ cpu: '1' }, '8', 0)
    usage.observed(list({ cpu: '2' }), '9', 50)
    usage.raised(list({ cpu: '3' }), '5', 120)
    expect(texts(usage.amounts(120))).toEqual({ cpu: '1' })
  })

  test('pays off no charge of a later version, nor of its own', () => {
    for (const version of ['9', '10']) {
      const usage = early({ cpu: '1' }, '9', 0)
      usage.raised(list({ cpu: '1' }), version, 1)
      expect([version, texts(usage.amounts(1))]).toEqual([version, { cpu: '1' }])
    }
  })
})

test.each<readonly [string, List, List, List, List]>([
  ['without charges in flight', { cpu: '1' }, { cpu: '3' }, {}, { cpu: '1' }],
  ['of a name that is not written yet', { cpu: '1' }, {}, { cpu: '1' }, { cpu: '1' }],
  ['with all charges in flight', { cpu: '1' }, { cpu: '3' }, { cpu: '2' }, { cpu: '3' }],
  ['with fewer charges in flight than are written', { cpu: '1' }, { cpu: '5' }, { cpu: '2' }, { cpu: '3' }],
  ['with more charges in flight than are written', { cpu: '1' }, { cpu: '2' }, { cpu: '2' }, { cpu: '2' }],
  ['that is counted above what is written', { cpu: '3' }, { cpu: '2' }, { cpu: '2' }, { cpu: '3' }],
  ['that is counted as written', { cpu: '2' }, { cpu: '2' }, { cpu: '2' }, { cpu: '2' }],
  ['of each name by itself', { cpu: '1', pods: '0' }, { cpu: '2', pods: '1' }, { pods: '3' }, { cpu: '1', pods: '1' }],
])('usage %s: counted %j, used %j, in flight %j', (_, counted, used, inFlight, written) => {
  expect(texts(usageToWrite(list(counted), list(used), list(inFlight)))).toEqual(written)
})

test('usage rises by the positive differences of the names that both lists have', () => {
  const old = list({ cpu: '1', memory: '2', pods: '3', services: '1' })
  const current = list({ cpu: '3', memory: '2', pods: '1', secrets: '4' })
  expect(texts(increases(old, current))).toEqual({ cpu: '2' })
})

test('in whichever order, as much stays in flight as was charged and not observed', () => {
  const event = fc.record({ isCharge: fc.boolean(), amount: fc.integer({ min: 1, max: 5 }) })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const usage = new InFlightUsage(PATIENCE)
      let balance = 0
      // Every object is newer than every charge, so that each pays off what there is.
      for (const [at, { isCharge, amount }] of events.entries()) {
        balance += isCharge ? amount : -amount
        if (isCharge) usage.raised({ pods: Quantity.of(amount) }, String(at + 1), at)
        else usage.observed({ pods: Quantity.of(amount) }, String(at + 1000), at)
        expect(texts(usage.amounts(at))).toEqual(balance > 0 ? { pods: String(balance) } : {})
      }
    }),
    { numRuns: 100 },
  )
})
