import { isDeepStrictEqual } from 'node:util'
import { RECONCILING, STALLED } from '../../../src/api/progress.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import type { Expectation } from './pool-scenario.ts'

export type Json = Readonly<Record<string, unknown>>

/** The current state of the object of an expectation. */
export interface Seen {
  /** Undefined where there is none. */
  readonly object: Json | undefined
  /** The pool that the expectation names, where it asks for one. */
  readonly pool: Json | undefined
  /** The ledger that the expectation names, where it asks for one. */
  readonly ledger: Json | undefined
  /** How many objects the labels of the expectation select. */
  readonly count: number
}

/** The fields of an expectation that locate its object. */
const ADDRESS: ReadonlySet<string> = new Set(['kind', 'namespace', 'name', 'note', 'labelSelector'])

type Check = (wanted: unknown, seen: Seen, expectation: Expectation) => boolean

const CHECKS: Readonly<Record<string, Check>> = {
  exists: (wanted, { object }) => (object !== undefined) === wanted,
  labels: (wanted, { object }) =>
    Object.entries(wanted as Json).every(([name, value]) => at(object, ['metadata', 'labels', name]) === value),
  annotationsNotContain: (wanted, { object }) => at(object, ['metadata', 'annotations', String(wanted)]) === undefined,
  finalizersContain: (wanted, { object }) => listAt(object, ['metadata', 'finalizers']).includes(wanted),
  finalizersNotContain: (wanted, { object }) => !listAt(object, ['metadata', 'finalizers']).includes(wanted),
  ownerReferencesContain: (wanted, { object }) =>
    listAt(object, ['metadata', 'ownerReferences']).some((owner) =>
      Object.entries(wanted as Json).every(([name, value]) => at(owner, [name]) === value),
    ),
  ownerReferencesCount: (wanted, { object }) => listAt(object, ['metadata', 'ownerReferences']).length === wanted,
  conditions: (wanted, { object }) =>
    (wanted as readonly Json[]).every((one) =>
      listAt(object, ['status', 'conditions']).some((has) => isSuch(has, one)),
    ),
  // Capsule's, without those that tell GitOps tools how the object stands.
  conditionsCount: (wanted, { object }) =>
    listAt(object, ['status', 'conditions']).filter(
      (one) => ![RECONCILING, STALLED].includes(String(at(one, ['type']))),
    ).length === wanted,
  inPoolStatusClaims: (wanted, { object, pool }) => {
    const [uid, namespace] = [at(object, ['metadata', 'uid']), String(at(object, ['metadata', 'namespace']))]
    if (uid === undefined || pool === undefined) return false
    return listAt(pool, ['status', 'claims', namespace]).some((entry) => at(entry, ['uid']) === uid) === wanted
  },
  'status.namespaces': (wanted, { object }, { namespacesOrderMatters }) => {
    const names = listAt(object, ['status', 'namespaces']).map(String)
    return namespacesOrderMatters === true
      ? isDeepStrictEqual(names, wanted)
      : isDeepStrictEqual(names.toSorted(), (wanted as readonly string[]).toSorted())
  },
  'status.namespacesContains': (wanted, { object }) =>
    (wanted as readonly string[]).every((name) => listAt(object, ['status', 'namespaces']).includes(name)),
  'status.namespaceCount>': (wanted, { object }) => Number(at(object, ['status', 'namespaceCount'])) > Number(wanted),
  count: (wanted, { count }) => count === wanted,
  ready: (wanted, { object }) => (readyOf(object) === 'True') === wanted,
  usageInitialised: (wanted, { object }) => (at(object, ['status', 'usage', 'used']) !== undefined) === wanted,
  ledger: (wanted, { ledger }) => isSettled(ledger, wanted as Json),
  // Amounts of custom quotas are compared, not their texts.
  'usage.used': (wanted, { object }) => amountAt(object, 'used')?.equals(Quantity.parse(String(wanted))) === true,
  'usage.used>=0': (wanted, { object }) => (amountAt(object, 'used')?.sign() ?? -1) >= 0 === wanted,
  'usage.available>=0': (wanted, { object }) => (amountAt(object, 'available')?.sign() ?? -1) >= 0 === wanted,
  claimsCount: (wanted, { object }) => listAt(object, ['status', 'claims']).length === wanted,
  'status.namespacesSorted': (wanted, { object }) =>
    isDeepStrictEqual(listAt(object, ['status', 'namespaces']), wanted),
  'spec.targetRef': (wanted, { object }) => hasAll(at(object, ['spec', 'targetRef']), wanted as Json),
  // Said of others: amounts are compared as they are written anyway.
  exactQuantityStrings: () => true,
  namespacesOrderMatters: () => true,
}

/** The part of an expectation that does not hold, and the actual value; undefined where all holds. Throws for an unknown field. */
export function unmet(expectation: Expectation, seen: Seen): string | undefined {
  for (const [key, wanted] of Object.entries(expectation)) {
    if (ADDRESS.has(key)) continue
    const check = CHECKS[key] ?? (/^(?:spec|status)\.\w+$/.test(key) ? fieldCheck(key) : undefined)
    if (check === undefined) throw new Error(`the expectation ${key} is not known`)
    if (!check(wanted, seen, expectation)) return `${key} is not ${JSON.stringify(wanted)}: ${JSON.stringify(seen)}`
  }
  return undefined
}

const readyOf = (object: unknown): unknown =>
  at(
    listAt(object, ['status', 'conditions']).find((condition) => at(condition, ['type']) === 'Ready'),
    ['status'],
  )

function amountAt(object: unknown, field: string): Quantity | undefined {
  const amount = at(object, ['status', 'usage', field])
  return typeof amount === 'string' ? Quantity.parse(amount) : undefined
}

const hasAll = (value: unknown, wanted: Json): boolean =>
  Object.entries(wanted).every(([name, member]) => isDeepStrictEqual(at(value, [name]), member))

/** Does the ledger belong to the quota, and has it nothing outstanding? */
function isSettled(ledger: Json | undefined, wanted: Json): boolean {
  const { targetRef, reservedZero, pendingDeletesEmpty, name: _name, namespace: _namespace, ...rest } = wanted
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new Error(`the expectation ${unknown} of a ledger is not known`)
  if (!hasAll(at(ledger, ['spec', 'targetRef']), targetRef as Json)) return false
  if (reservedZero === true && (at(ledger, ['status', 'reserved']) ?? '0') !== '0') return false
  return pendingDeletesEmpty !== true || listAt(ledger, ['status', 'pendingDeletes']).length === 0
}

/** An object or list that is empty says as much as none. */
function fieldCheck(key: string): Check {
  return (wanted, { object }) => {
    const value = at(object, key.split('.'))
    if (object === undefined) return false
    return isNone(wanted) ? isNone(value) : isDeepStrictEqual(value, wanted)
  }
}

const isNone = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

function isSuch(condition: unknown, wanted: Json): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    if (key === 'messageContains') return String(at(condition, ['message'])).includes(String(value))
    if (key === 'messagePartsAnyOrder') return hasParts(String(at(condition, ['message'])), value as readonly string[])
    if (!['type', 'status', 'reason'].includes(key))
      throw new Error(`the expectation ${key} of a condition is not known`)
    return at(condition, [key]) === value
  })
}

/** `a: b=c, …` has the parts `a.b=c`. */
function hasParts(message: string, wanted: readonly string[]): boolean {
  const parts = message.split(/[,;]/).map((part) => part.trim().replace(/:\s*/, '.'))
  return wanted.every((part) => parts.includes(part))
}

/** The member of a value at the end of these names. */
export function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Json)[key] : undefined),
    value,
  )
}

/** The list at the end of these names; empty where there is none. */
export function listAt(value: unknown, keys: readonly string[]): readonly unknown[] {
  const found = at(value, keys)
  return Array.isArray(found) ? found : []
}
