import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listClaims } from '../../../../test/systems/custom-quota/list-claims.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { type ClaimedObject, MAX_CLAIM_BYTES, MAX_CLAIMS } from './listed-claims.ts'

const POD = { group: '', version: 'v1', kind: 'Pod' }
const object = (name: string, cost: string, more: Partial<ClaimedObject> = {}): ClaimedObject => ({
  kind: POD,
  namespace: 'harbour',
  name,
  uid: `uid-${name}`,
  cost: Quantity.parse(cost),
  ...more,
})

test('objects are listed by namespace, kind and name', () => {
  const { claims, omitted } = listClaims([
    object('b', '1'),
    object('a', '250m'),
    object('c', '1', { kind: { group: '', version: 'v1', kind: 'ConfigMap' } }),
    object('z', '1', { namespace: 'dock' }),
    object('system:x', '-1', { kind: { group: 'rbac', version: 'v1', kind: 'ClusterRole' }, namespace: '' }),
  ])
  expect(claims.map(({ namespace, kind, name, usage }) => [namespace, kind, name, usage])).toEqual([
    [undefined, 'ClusterRole', 'system:x', '-1'],
    ['dock', 'Pod', 'z', '1'],
    ['harbour', 'ConfigMap', 'c', '1'],
    ['harbour', 'Pod', 'a', '250m'],
    ['harbour', 'Pod', 'b', '1'],
  ])
  expect(claims[3]).toEqual({
    group: '',
    version: 'v1',
    kind: 'Pod',
    namespace: 'harbour',
    name: 'a',
    uid: 'uid-a',
    usage: '250m',
  })
  expect(omitted).toBe(0)
})

test('of too many the largest are listed, whatever their sign and order', () => {
  const objects = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(objects, fc.integer({ min: 0, max: 10 }), fc.nat(), (costs, max, turn) => {
      const all = costs.map((cost, at) => object(`n${String(at).padStart(2, '0')}`, String(cost)))
      const at = all.length === 0 ? 0 : turn % all.length
      const { claims, omitted } = listClaims([...all.slice(at), ...all.slice(0, at)], max)
      expect(omitted).toBe(Math.max(0, all.length - max))
      const expected = all
        .toSorted(
          (a, b) =>
            Math.abs(Number(b.cost.toString())) - Math.abs(Number(a.cost.toString())) || (a.name < b.name ? -1 : 1),
        )
        .slice(0, max)
        .map(({ name }) => name)
        .toSorted()
      expect(claims.map(({ name }) => name)).toEqual(expected)
    }),
  )
})

test('the longest list fits into an object of the API', () => {
  const objects = Array.from({ length: 3 * MAX_CLAIMS }, (_, at) =>
    object(`${at}`.padStart(253, 'n'), '123456789012345678901Ki', {
      kind: { group: 'g'.repeat(253), version: 'v'.repeat(63), kind: 'K'.repeat(63) },
      namespace: 'n'.repeat(63),
      uid: 'u'.repeat(36),
    }),
  )
  const { claims, omitted } = listClaims(objects)
  expect([claims.length, omitted]).toEqual([MAX_CLAIMS, 2 * MAX_CLAIMS])
  expect(JSON.stringify(claims).length).toBeLessThan(1_000_000)
})

test('names and amounts without end are counted and take no place, so that every list fits into an object of the API', () => {
  const names = fc.oneof(
    fc.string({ maxLength: 5, unit: 'binary' }),
    fc.constantFrom('\u0000', 'ü', '😀', 'n').chain((unit) => fc.nat({ max: 1200 }).map((times) => unit.repeat(times))),
  )
  const costs = fc.nat({ max: 999 }).map((digits) => `1${'0'.repeat(digits)}1`.slice(-1000))
  fc.assert(
    fc.property(fc.array(fc.tuple(names, costs), { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (all, max) => {
      const objects = all.map(([name, cost], at) => object(`${at}${name}`, cost))
      const { claims, omitted } = listClaims(objects, max)
      expect(claims.length + omitted).toBe(objects.length)
      for (const claim of claims) expect(Buffer.byteLength(JSON.stringify(claim))).toBeLessThanOrEqual(MAX_CLAIM_BYTES)
      // An object with a short name is listed, however long the names of others are.
      const short = objects.filter(({ name, cost }) => name.length < 50 && cost.toString().length < 50)
      expect(claims.length).toBeGreaterThanOrEqual(Math.min(max, short.length))
    }),
  )
})
