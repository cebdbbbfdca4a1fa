import { expect, test } from 'vitest'
import type { QuotaDefinitions } from './definitions.ts'
import { reasonsToHold } from './judge-definitions.ts'
import type { NamespaceState } from './namespace-plan.ts'
import { readDefinitionsFile } from './read-definitions.ts'

/** Definitions by name; each selects the namespaces with its label, '' all. */
function definitionsOf(quotas: Readonly<Record<string, string>>, external: readonly string[] = []): QuotaDefinitions {
  const read = readDefinitionsFile({
    externalQuotaDefinitionNames: external,
    quotas: Object.entries(quotas).map(([name, label]) => ({
      name,
      mode: 'maximum',
      ...(label === '' ? {} : { selector: { matchLabels: { follows: label } } }),
      template: { spec: {} },
    })),
  })
  if (read.errors !== undefined) throw new Error(JSON.stringify(read.errors))
  return read.definitions
}

const namespaceOf = (name: string, label: string, base: string, deleting = false): NamespaceState => ({
  name,
  uid: name,
  labels: { follows: label, 'quota.openmcp.cloud/base': base },
  deleting,
})

const NORTH = namespaceOf('north', 'a', 'a')
const SOUTH = namespaceOf('south', 'b', 'b')
const BEFORE = { a: 'a', b: 'b' }

function holds(
  candidate: QuotaDefinitions,
  accepted: QuotaDefinitions | undefined = definitionsOf(BEFORE),
  namespaces: readonly NamespaceState[] = [NORTH, SOUTH],
): readonly string[] {
  const inUse = new Map<string, Set<string>>()
  for (const { name, labels } of namespaces) {
    const base = labels?.['quota.openmcp.cloud/base'] ?? ''
    inUse.set(base, (inUse.get(base) ?? new Set()).add(name))
  }
  return reasonsToHold({ candidate, accepted, provider: 'quota-controller', namespaces, inUse })
}

const MISSING_B = ['the definition b is missing; it is in use in south']

test('definitions that lack none in use are followed, whatever else changes', () => {
  expect(holds(definitionsOf(BEFORE))).toEqual([])
  expect(holds(definitionsOf({ b: 'a', a: 'b', c: 'c' }))).toEqual([])
  expect(holds(definitionsOf({ a: 'a' }), definitionsOf(BEFORE), [NORTH])).toEqual([])
})

test('a file that is empty or cut off is held, also where another definition would take the namespaces', () => {
  expect(holds(definitionsOf({}))).toEqual(['the definition a is missing; it is in use in north', ...MISSING_B])
  expect(holds(definitionsOf({ a: 'a' }))).toEqual(MISSING_B)
  expect(holds(definitionsOf({ a: '' }))).toEqual(MISSING_B)
  // Nobody knows what was followed before: what is in use counts.
  expect(
    reasonsToHold({
      candidate: definitionsOf({ a: '' }),
      accepted: undefined,
      provider: 'quota-controller',
      namespaces: [SOUTH],
      inUse: new Map([
        ['a', new Set(['x'])],
        ['b', new Set(['south'])],
      ]),
    }),
  ).toEqual(MISSING_B)
})

test('a definition that takes over all namespaces of a lost one is a rename, one that takes some is not', () => {
  expect(holds(definitionsOf({ a: 'a', renamed: 'b' }))).toEqual([])
  const east = namespaceOf('east', 'c', 'b')
  expect(holds(definitionsOf({ a: 'a', renamed: 'b' }), definitionsOf(BEFORE), [NORTH, SOUTH, east])).toEqual([
    'the definition b is missing; it is in use in east',
  ])
})

test('a rename that was interrupted goes on: what was accepted to go needs no more', () => {
  const accepted = definitionsOf({ a: 'a', renamed: 'b' })
  const moved = namespaceOf('east', 'b', 'renamed')
  expect(holds(accepted, accepted, [NORTH, SOUTH, moved])).toEqual([])
})

test('namespaces that are being deleted, and those of other programs, hold nothing', () => {
  expect(
    holds(definitionsOf({ a: 'a' }), definitionsOf(BEFORE), [NORTH, namespaceOf('south', 'b', 'b', true)]),
  ).toEqual([])
  expect(holds(definitionsOf({ a: 'a' }, ['b']))).toEqual([])
})

test('a reason names a few of the namespaces, and counts the others', () => {
  const many = Array.from({ length: 7 }, (_, at) => namespaceOf(`south-${at}`, 'b', 'b'))
  expect(holds(definitionsOf({ a: 'a' }), definitionsOf(BEFORE), many)).toEqual([
    'the definition b is missing; it is in use in south-0, south-1, south-2 and 4 more namespaces',
  ])
})
