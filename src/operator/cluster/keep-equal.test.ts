import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../../machinery/json-text.ts'
import { keepEqual } from './keep-equal.ts'

const json = fc.json({ maxDepth: 4 }).map((text) => ({ text, value: parseJson(text) }))

test('the result equals the new value, whatever the old one was', () => {
  fc.assert(
    fc.property(json, json, ({ text, value }, old) => {
      expect(JSON.stringify(keepEqual(value, old.value))).toBe(JSON.stringify(parseJson(text)))
    }),
  )
})

test('an equal value is the very object that was there', () => {
  fc.assert(
    fc.property(json, ({ text, value }) => {
      const old: unknown = [value]
      expect(keepEqual([parseJson(text)], old)).toBe(old)
    }),
  )
})

test('parts that did not change are the very same ones', () => {
  const old = {
    spec: { hard: { cpu: '1' } },
    status: { claims: { a: [{ uid: '1' }, { uid: '2' }], b: [{ uid: '3' }] } },
  }
  const came = structuredClone(old)
  came.status.claims.a = [{ uid: '1' }, { uid: '4' }]
  const kept = keepEqual(came, old)
  expect(kept).toEqual(came)
  expect(kept.spec).toBe(old.spec)
  expect(kept.status.claims.b).toBe(old.status.claims.b)
  expect(kept.status.claims.a[0]).toBe(old.status.claims.a[0])
})
