import { Quantity } from '../../quantity/quantity.ts'
import { isTree, jsonEqual } from '../../machinery/json-value.ts'
import { TEXT_UNIT } from './call-work.ts'
import { IpAddress, IpPrefix } from '../../machinery/ip-address.ts'
import { NamedFormat } from './named-format.ts'
import { ParsedUrl } from './parsed-url.ts'
import { SemanticVersion } from './semantic-version.ts'
import { CelList, CelMap, CelOptional, type CelValue, type Result } from './value.ts'
import { JsonMap, mapKey } from './map-value.ts'
import type { Run } from './run-budget.ts'
import { CelDuration, CelTimestamp, CelUint, Failure, TypeValue, noSuchOverload } from './scalar.ts'

/**
 * `left == right`: numbers by their value whatever their type, lists and maps by their members. Values of different
 * types are unequal, but one of Kubernetes' own types with another gives a failure.
 */
export function equal(left: CelValue, right: CelValue, run: Run): boolean | Failure {
  // Texts of the same length are compared to their end.
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length) run.work(left.length / 200)
  if (left === right) return !(typeof left === 'number' && Number.isNaN(left))
  if (typeof left === 'string' || typeof left === 'boolean' || left === null || right === null) return false
  if (typeof left === 'bigint' || typeof left === 'number') return equalNumbers(left, right)
  return equalObjects(left, right, run)
}

function equalNumbers(left: bigint | number, right: CelValue): boolean {
  const other = right instanceof CelUint ? right.value : right
  if (typeof other !== 'bigint' && typeof other !== 'number') return false
  // An integer beside a double is taken as a double, as cel-go does, though that may lose digits.
  return typeof left === typeof other ? left === other : Number(left) === Number(other)
}

function equalObjects(left: CelValue & object, right: CelValue, run: Run): boolean | Failure {
  if (left instanceof CelUint) return equalNumbers(left.value, right)
  if (left instanceof CelList) return right instanceof CelList && equalLists(left, right, run)
  if (left instanceof CelMap) return right instanceof CelMap && equalMaps(left, right, run)
  if (left instanceof Uint8Array) return right instanceof Uint8Array && equalBytes(left, right, run)
  if (left instanceof CelTimestamp) return right instanceof CelTimestamp && left.nanos === right.nanos
  if (left instanceof CelDuration) return right instanceof CelDuration && left.nanos === right.nanos
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name
  if (left instanceof CelOptional) {
    if (!(right instanceof CelOptional)) return false
    if (left.value === undefined || right.value === undefined) return left.value === right.value
    return equal(left.value, right.value, run)
  }
  if (left instanceof Quantity) return right instanceof Quantity ? left.equals(right) : noSuchOverload
  if (left instanceof IpAddress) return right instanceof IpAddress ? left.equals(right) : noSuchOverload
  if (left instanceof IpPrefix) return right instanceof IpPrefix ? left.equals(right) : noSuchOverload
  if (left instanceof ParsedUrl) run.work(left.text.length / 200)
  if (left instanceof ParsedUrl) return right instanceof ParsedUrl ? left.text === right.text : noSuchOverload
  if (left instanceof SemanticVersion) {
    run.work(left.pre.length)
    return right instanceof SemanticVersion ? left.compare(right) === 0 : noSuchOverload
  }
  if (left instanceof NamedFormat) return right instanceof NamedFormat ? left.name === right.name : noSuchOverload
  return false
}

function equalBytes(left: Uint8Array, right: Uint8Array, run: Run): boolean {
  if (left.length === right.length) run.work(left.length / TEXT_UNIT)
  return left.length === right.length && left.every((byte, at) => byte === right[at])
}

function equalResults(left: Result, right: Result, run: Run): boolean | Failure {
  if (left instanceof Failure) return left
  return right instanceof Failure ? right : equal(left, right, run)
}

function equalLists(left: CelList, right: CelList, run: Run): boolean | Failure {
  if (left.size !== right.size) return false
  run.work(3 * left.size)
  // A set of the members, or their keys as text, is more work than looking at them once.
  if (left.listKind.type !== 'atomic') run.work(9 * left.size)
  if (left.listKind.type === 'set') return sameSet(left, right)
  if (left.listKind.type === 'map') return sameKeyed(left, right, left.listKind.keys, run)
  for (let at = 0; at < left.size; at++) {
    const same = equalResults(left.at(at), right.at(at), run)
    if (same !== true) return same
  }
  return true
}

/** Returns the key by which a set distinguishes its members. Objects are keyed by identity, so that no set repeats one. */
function memberKey(value: Result): unknown {
  return value instanceof Failure ? value : (mapKey(value) ?? value)
}

/** Returns the keys of the members of a set. */
export const membersOf = (list: CelList): Set<unknown> => new Set(list.values().map(memberKey))

function sameSet(left: CelList, right: CelList): boolean {
  const members = membersOf(left)
  return right.values().every((value) => members.has(memberKey(value)))
}

/** The keys of an object in a list of type `map`, as one text. */
export function keyOf(member: unknown, keys: readonly string[]): string {
  const raw = member instanceof JsonMap ? member.raw : {}
  return JSON.stringify(keys.map((key) => raw[key] ?? null))
}

function sameKeyed(left: CelList, right: CelList, keys: readonly string[], run: Run): boolean | Failure {
  const mine = new Map(left.values().map((value) => [keyOf(value, keys), value]))
  for (const value of right.values()) {
    const match = mine.get(keyOf(value, keys))
    if (match === undefined) return false
    const same = equalResults(match, value, run)
    if (same !== true) return same
  }
  return true
}

function equalMaps(left: CelMap, right: CelMap, run: Run): boolean | Failure {
  if (left.size !== right.size) return false
  run.work(4 * left.size + 4)
  for (const key of left.keys()) {
    const mine = left.find(key)
    const theirs = right.find(key)
    if (mine === undefined && theirs === undefined) continue
    if (mine === undefined || theirs === undefined) return false
    const same = equalResults(mine, theirs, run)
    if (same !== true) return same
  }
  return !(left instanceof JsonMap && right instanceof JsonMap) || sameUnknown(left, right, run)
}

function equalJson(left: unknown, right: unknown, run: Run): boolean {
  run.work(1)
  if (left === right) return true
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => equalJson(item, right[at], run))
  }
  if (!isTree(left) || !isTree(right)) return jsonEqual(left, right)
  const keys = Object.keys(left)
  run.work(keys.length)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key], run))
  )
}

/** Members that the schema does not name are compared as JSON, where both have them. */
function sameUnknown(left: JsonMap, right: JsonMap, run: Run): boolean {
  return Object.entries(left.raw).every(
    ([key, value]) =>
      left.view.adaptOf(key) !== undefined || !Object.hasOwn(right.raw, key) || equalJson(value, right.raw[key], run),
  )
}

/** Is a value in a list? A failure while comparing counts only where no member is equal. */
export function contains(list: CelList, wanted: CelValue, run: Run): boolean | Failure {
  run.work(list.size)
  let failure: Failure | undefined
  for (let at = 0; at < list.size; at++) {
    const value = list.at(at)
    const same = value instanceof Failure ? value : equal(value, wanted, run)
    if (same === true) return true
    if (same instanceof Failure) failure ??= same
  }
  return failure ?? false
}
