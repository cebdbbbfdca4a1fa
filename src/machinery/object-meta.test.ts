import { describe, expect, test } from 'vitest'
import { sentence } from './field-error.ts'
import { validateFieldManager } from './field-manager.ts'
import { subdomainName } from './names.ts'
import { validateCoreFinalizers, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts'
import type { ObjectMeta, OwnerReference } from './object.ts'

const RULES = { namespaced: true, nameRule: subdomainName }
const CLUSTER = { namespaced: false, nameRule: subdomainName }
const owner = (change: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: 'a',
  uid: 'u',
  ...change,
})
const STORED: ObjectMeta = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
}

function created(meta: ObjectMeta, rules = RULES): string[] {
  return validateObjectMeta({ name: 'a', namespace: 'n', ...meta }, rules).map(sentence)
}

function updated(change: ObjectMeta, stored: ObjectMeta = STORED): string[] {
  return validateObjectMetaUpdate({ ...stored, ...change }, stored).map(sentence)
}

describe('a new object', () => {
  test('needs a name', () => {
    expect(validateObjectMeta({ namespace: 'n' }, RULES).map(sentence)).toEqual([
      'metadata.name: Required value: name or generateName is required',
    ])
  })

  test('obeys its kind’s rule for names, with its generateName too', () => {
    expect(created({ name: 'A', generateName: 'b-' })).toEqual([
      expect.stringMatching(/^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/),
    ])
    expect(created({ generateName: 'Bc-' })).toEqual([
      expect.stringMatching(/^metadata\.generateName: Invalid value: "Bc-": /),
    ])
  })

  test('has a namespace iff its kind lives in one', () => {
    expect(validateObjectMeta({ name: 'a' }, RULES).map(sentence)).toEqual(['metadata.namespace: Required value'])
    expect(created({ namespace: 'a.b' })).toEqual(['metadata.namespace: Invalid value: "a.b": must not contain dots'])
    expect(created({}, CLUSTER)).toEqual(['metadata.namespace: Forbidden: not allowed on this type'])
  })

  test('has a generation that is not negative', () => {
    expect(created({ generation: -1 })).toEqual([
      'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    ])
  })

  test('has well-formed labels and annotations', () => {
    expect(created({ labels: { a: '-' }, annotations: { '/': '' } }).map((text) => text.split(':')[0])).toEqual([
      'metadata.labels',
      ...Array<string>(3).fill('metadata.annotations'),
    ])
  })

  test('has finalizers that are qualified names and do not contradict each other', () => {
    expect(created({ finalizers: ['a/b/c'] })).toEqual([
      expect.stringMatching(/^metadata\.finalizers: Invalid value: "a\/b\/c": a valid label key/),
    ])
    expect(created({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ])
  })

  test('has owners that are all named', () => {
    expect(created({ ownerReferences: [owner({ apiVersion: 'apps/', kind: '', name: '', uid: '' })] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ])
  })

  test('has at most one controller', () => {
    const references = [
      owner({ controller: true }),
      owner({ name: 'b', controller: false }),
      owner({ name: 'c', controller: true }),
    ]
    expect(created({ ownerReferences: references })).toEqual([
      `metadata.ownerReferences: Invalid value: ${JSON.stringify(references)}: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/c`,
    ])
  })

  test('is not owned by an event', () => {
    expect(created({ ownerReferences: [owner({ kind: 'Event' })] })).toEqual([
      expect.stringMatching(/: \/v1, Kind=Event is disallowed from being an owner$/),
    ])
    expect(created({ ownerReferences: [owner({ kind: 'Event', apiVersion: 'events.k8s.io/v1' })] })).toEqual([])
  })

  test('has managed fields of known operations', () => {
    const managedFields = [
      { operation: 'Apply', fieldsType: 'FieldsV1', manager: 'me' },
      { operation: 'x', fieldsType: 'y' },
    ]
    expect(created({ managedFields })).toEqual([
      'metadata.managedFields[1].operation: Invalid value: "x": must be `Apply` or `Update`',
      'metadata.managedFields[1].fieldsType: Invalid value: "y": must be `FieldsV1`',
    ])
  })
})

describe('an update', () => {
  test('that changes nothing is well', () => {
    expect(updated({})).toEqual([])
  })

  test('keeps the identity and the creation time of the object', () => {
    const change = {
      name: 'b',
      uid: '',
      creationTimestamp: '2026-01-02T00:00:00Z',
      deletionTimestamp: '2026-01-02T00:00:00Z',
      deletionGracePeriodSeconds: 30,
    }
    expect(updated(change)).toEqual([
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.uid: Invalid value: "": field is immutable',
      'metadata.creationTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable',
    ])
  })

  test('may write the same time in another way', () => {
    expect(updated({ creationTimestamp: '2026-01-01T01:00:00+01:00' })).toEqual([])
  })

  test('cannot take a deletion back', () => {
    const { deletionTimestamp, ...rest } = { ...STORED, deletionTimestamp: '2026-01-02T00:00:00Z' }
    expect(validateObjectMetaUpdate(rest, { ...rest, deletionTimestamp }).map(sentence)).toEqual([
      'metadata.deletionTimestamp: Invalid value: null: field is immutable',
    ])
  })

  test('adds no finalizers to an object that is being deleted', () => {
    const stored = { ...STORED, deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['a/b'] }
    expect(updated({ finalizers: [] }, stored)).toEqual([])
    expect(updated({ finalizers: ['z/y', 'a/b', 'x', 'x'] }, stored)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x", "z/y"}',
    ])
    expect(updated({ finalizers: ['x'] })).toEqual([])
  })

  test('says which version it is of and does not turn the generation back', () => {
    expect(updated({ resourceVersion: '', generation: 1 })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
    ])
  })
})

test('a core kind’s finalizer has a domain or is a standard one', () => {
  expect(validateCoreFinalizers(['kubernetes', 'a/b', 'x'], 'metadata.finalizers').map(sentence)).toEqual([
    'metadata.finalizers[2]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ])
})

test('a field manager is printable and at most 128 bytes', () => {
  expect(validateFieldManager('ä manager', 'fieldManager')).toEqual([])
  expect(validateFieldManager('é\n', 'fieldManager').map(sentence)).toEqual([
    String.raw`fieldManager: Invalid value: "é\n": invalid character U+000A (at position 2)`,
  ])
  expect(validateFieldManager('a'.repeat(129), 'fieldManager').map(sentence)).toEqual([
    'fieldManager: Too long: may not be more than 128 bytes',
  ])
})
