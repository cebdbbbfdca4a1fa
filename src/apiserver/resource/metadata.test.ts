import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatedName, metadataForCreate, metadataForUpdate, ordered, withMetadata } from './metadata.ts'

const FRESH = { name: 'n', namespace: 'ns', uid: 'u', creationTimestamp: 't' }

test('a generated name is the base, cut to 58 characters, and five letters that differ', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 80 }),
      fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 5, maxLength: 5 }),
      (base, draws) => {
        const left = [...draws]
        const name = generatedName(base, () => left.shift() ?? 0)
        expect(name.slice(0, -5)).toBe(base.slice(0, 58))
        expect(name.slice(-5)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      },
    ),
    { numRuns: 200 },
  )
})

test('of the metadata of a create only what clients may say is kept, a generation too where the kind keeps none', () => {
  const sent = {
    name: 'other',
    uid: 'mine',
    generation: 9,
    deletionTimestamp: 'x',
    labels: { a: 'b' },
    finalizers: ['f'],
    managedFields: [{}],
  }
  expect(metadataForCreate(sent, FRESH)).toEqual({
    name: 'n',
    namespace: 'ns',
    uid: 'u',
    creationTimestamp: 't',
    generation: 9,
    labels: { a: 'b' },
    finalizers: ['f'],
    managedFields: [{}],
  })
})

test('cluster-wide objects have no namespace', () => {
  expect(metadataForCreate({ namespace: 'x' }, { ...FRESH, namespace: '' }).namespace).toBeUndefined()
})

test('an update keeps what the server keeps, takes the rest, and fills in identity where it is left out', () => {
  const old = {
    name: 'n',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '5',
    generation: 3,
    creationTimestamp: 't',
    deletionTimestamp: 'd',
    deletionGracePeriodSeconds: 0,
    labels: { old: 'x' },
    finalizers: ['f'],
  }
  expect(metadataForUpdate({ name: 'n', resourceVersion: '4', generation: 9, labels: { new: 'y' } }, old)).toEqual({
    name: 'n',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '5',
    generation: 3,
    creationTimestamp: 't',
    deletionTimestamp: 'd',
    deletionGracePeriodSeconds: 0,
    labels: { new: 'y' },
  })
})

test('metadata is served in one order and without what is empty', () => {
  const shuffled = {
    annotations: {},
    labels: { b: '1' },
    uid: 'u',
    finalizers: [],
    namespace: 'ns',
    name: 'n',
    resourceVersion: '1',
    generateName: 'g',
  }
  expect(Object.keys(ordered(shuffled))).toEqual([
    'name',
    'generateName',
    'namespace',
    'uid',
    'resourceVersion',
    'labels',
  ])
})

test('an object begins with kind, version and metadata', () => {
  const object = withMetadata({ spec: 1, metadata: {}, apiVersion: 'v1', kind: 'K' }, { name: 'n' })
  expect(Object.keys(object)).toEqual(['kind', 'apiVersion', 'metadata', 'spec'])
})
