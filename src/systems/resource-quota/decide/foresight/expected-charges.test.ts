import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../../quantity/quantity.ts'
import { equals, formatResourceList, removeZeros, type ResourceList } from '../../../../quantity/resource-list.ts'
import { type ExpectedCharge, ExpectedCharges } from './expected-charges.ts'

const PATIENCE = 5
const NAMES = ['pods', 'requests.cpu']
const list = (pods: number, cpu: number): ResourceList => ({
  pods: Quantity.of(pods),
  'requests.cpu': Quantity.of(cpu),
})

/** The same by a plain account: what each request still lacks, the oldest first. */
interface Open {
  readonly charge: ExpectedCharge
  readonly rest: number[]
  readonly at: number
}

test('the sum of what is expected is that of what requests on their way lack, whatever happens in whatever order', () => {
  const action = record({
    what: constantFrom('expect', 'withdraw', 'rise', 'wait'),
    pods: integer({ min: 0, max: 3 }),
    cpu: integer({ min: 0, max: 3 }),
  })
  assert(
    property(array(action, { maxLength: 30 }), (actions) => {
      const expected = new ExpectedCharges(PATIENCE)
      let open: Open[] = []
      let now = 0
      for (const { what, pods, cpu } of actions) {
        if (what === 'expect') open.push({ charge: expected.expect(list(pods, cpu), now), rest: [pods, cpu], at: now })
        if (what === 'wait') now += pods
        if (what === 'withdraw') {
          const [gone] = open.splice(pods, 1)
          if (gone !== undefined) expected.withdraw(gone.charge)
        }
        if (what === 'rise') {
          expected.rose(list(pods, cpu))
          const left = [pods, cpu]
          for (const { rest } of open)
            for (const at of NAMES.keys()) {
              const paid = Math.min(rest[at] ?? 0, left[at] ?? 0)
              rest[at] = (rest[at] ?? 0) - paid
              left[at] = (left[at] ?? 0) - paid
            }
        }
        open = open.filter(({ at }) => at + PATIENCE > now)
        const sum = NAMES.map((_, at) => open.reduce((total, { rest }) => total + (rest[at] ?? 0), 0))
        const wanted = removeZeros(list(sum[0] ?? 0, sum[1] ?? 0))
        expect(equals(expected.amounts(now), wanted), JSON.stringify(formatResourceList(wanted))).toBe(true)
      }
    }),
  )
})

const texts = (expected: ExpectedCharges, at: number) => formatResourceList(expected.amounts(at))

test('nothing is expected once everything is paid, withdrawn or late', () => {
  const expected = new ExpectedCharges(PATIENCE)
  expect(expected.isEmpty).toBe(true)
  expected.expect(list(1, 2), 0)
  expect(expected.isEmpty).toBe(false)
  expected.rose(list(1, 1))
  expect([expected.isEmpty, texts(expected, 0)]).toEqual([false, { 'requests.cpu': '1' }])
  expected.rose(list(0, 1))
  expect([expected.isEmpty, texts(expected, 0)]).toEqual([true, {}])
  const charge = expected.expect(list(1, 0), 1)
  expected.withdraw(charge)
  expected.withdraw(charge)
  expect([expected.isEmpty, texts(expected, 1)]).toEqual([true, {}])
  expected.expect(list(1, 0), 1)
  expect([expected.isEmpty, texts(expected, PATIENCE)]).toEqual([false, { pods: '1' }])
  expect([texts(expected, PATIENCE + 1), expected.isEmpty]).toEqual([{}, true])
})

test('a fall of the usage, and a rise of other amounts, pay nothing off', () => {
  const expected = new ExpectedCharges(PATIENCE)
  expected.expect(list(2, 0), 0)
  expected.rose(list(-1, 3))
  expect(texts(expected, 0)).toEqual({ pods: '2' })
  expected.rose({ secrets: Quantity.of(2) })
  expect(texts(expected, 0)).toEqual({ pods: '2' })
})
