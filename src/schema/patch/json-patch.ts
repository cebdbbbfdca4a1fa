import { isTree, jsonEqual, setOwn } from '../../machinery/json-value.ts'
import { failure } from '../../machinery/status.ts'
import { kindOf } from '../type/decode-error.ts'
import { whyMissed } from './json-patch-miss.ts'
import { malformed, PatchMiss } from './error.ts'

/** Upstream's limit of one patch. */
const MAX_OPERATIONS = 10_000
/** Upstream's limit of what all `copy` operations together may copy: without it, 30 of them make a gigabyte. */
const MAX_COPIED = 3 * 1024 * 1024

type Tree = Readonly<Record<string, unknown>>
type Container = Record<string, unknown> | unknown[]

/** The document under work; `owned` are the containers made here, which may be changed in place. */
interface Work {
  root: unknown
  readonly owned: WeakSet<object>
  copied: number
}

/**
 * Applies a JSON Patch (RFC 6902) as upstream's library does. Places in arrays may be counted from the end. The
 * document as a whole has no place. A missing value is null. Text before the first slash of a path is ignored. The
 * result shares what does not change; nothing is mutated.
 *
 * Throws an `ApiError`: 400 if it is not a list of objects, and 413 beyond 10,000 operations. Throws 422 if an
 * operation is unknown, misses its place, or fails its test.
 *
 * It replaces the `rfc6902` package, which is the oracle of the tests. That package mutates the document and compares
 * lists in quadratic time for `test`. Its copies turn exact numbers into objects.
 */
export function jsonPatch(document: unknown, patch: unknown): unknown {
  if (patch === null) return document
  if (!Array.isArray(patch)) {
    throw malformed(`json: cannot unmarshal ${kindOf(patch)} into Go value of type jsonpatch.Patch`)
  }
  if (patch.length > MAX_OPERATIONS) {
    const text = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`
    throw failure(413, 'RequestEntityTooLarge', `Request entity too large: ${text}`)
  }
  const operations: Tree[] = []
  for (const operation of patch as readonly unknown[]) {
    if (!isTree(operation)) {
      throw malformed(`json: cannot unmarshal ${kindOf(operation)} into Go value of type jsonpatch.Operation`)
    }
    operations.push(operation)
  }
  const work: Work = { root: document, owned: new WeakSet(), copied: 0 }
  for (const operation of operations) {
    try {
      apply(work, operation)
    } catch (error) {
      throw error instanceof Miss ? new PatchMiss(whyMissed(work.root, operation)) : error
    }
  }
  return work.root
}

/** An operation has no place in the document. */
class Miss extends Error {}

function apply(work: Work, operation: Tree): void {
  const path = pointer(operation['path'])
  switch (operation['op']) {
    case 'add':
      return put(work, path, operation['value'] ?? null, 'insert')
    case 'replace':
      return put(work, path, operation['value'] ?? null, 'replace')
    case 'remove':
      return void take(work, path)
    case 'test':
      return test(work, path, operation['value'] ?? null)
    case 'move': {
      const from = pointer(operation['from'])
      if (from.length < path.length && from.every((token, at) => token === path[at])) throw new Miss()
      return put(work, path, take(work, from), 'insert')
    }
    case 'copy': {
      const value = found(work.root, pointer(operation['from']))
      if (value === undefined) throw new Miss()
      work.copied += JSON.stringify(value).length
      if (work.copied > MAX_COPIED) throw new Miss()
      disown(work, value)
      return put(work, path, value, 'insert')
    }
    default:
      throw new Miss()
  }
}

function test({ root }: Work, path: readonly string[], expected: unknown): void {
  // A member that is not there passes for null.
  if (!jsonEqual(found(root, path) ?? null, expected)) throw new Miss()
}

function put(work: Work, path: readonly string[], value: unknown, how: 'insert' | 'replace'): void {
  const last = path.at(-1) ?? ''
  const parent = writable(work, path)
  if (!Array.isArray(parent)) {
    if (how === 'replace' && !Object.hasOwn(parent, last)) throw new Miss()
    setOwn(parent, last, value)
  } else if (how === 'replace') parent[place(last, parent.length)] = value
  else parent.splice(last === '-' ? parent.length : place(last, parent.length + 1), 0, value)
}

/** Removes and returns. */
function take(work: Work, path: readonly string[]): unknown {
  const last = path.at(-1) ?? ''
  const parent = writable(work, path)
  if (Array.isArray(parent)) return parent.splice(place(last, parent.length), 1)[0]
  if (!Object.hasOwn(parent, last)) throw new Miss()
  const value = parent[last]
  delete parent[last]
  return value
}

/** The container that holds the path's last token, copied with all above it unless they are ours already. */
function writable(work: Work, path: readonly string[]): Container {
  let at = own(work, work.root)
  work.root = at
  for (const token of path.slice(0, -1)) {
    let child: Container
    if (Array.isArray(at)) {
      const index = place(token, at.length)
      child = own(work, at[index])
      at[index] = child
    } else {
      child = own(work, Object.hasOwn(at, token) ? at[token] : undefined)
      setOwn(at, token, child)
    }
    at = child
  }
  return at
}

function own(work: Work, value: unknown): Container {
  if (typeof value === 'object' && value !== null && work.owned.has(value)) return value as Container
  if (!Array.isArray(value) && !isTree(value)) throw new Miss()
  const copy: Container = Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value }
  work.owned.add(copy)
  return copy
}

/**
 * From here on two places share the value, so that none of its containers may be changed in place any more. All others may,
 * or each write behind each copy would copy its list anew. A value that is not ours holds nothing that is.
 */
function disown(work: Work, value: unknown): void {
  if (typeof value !== 'object' || value === null || !work.owned.delete(value)) return
  for (const child of Object.values(value)) disown(work, child)
}

/** Returns the value at a path; undefined where its container has no such member. Throws where there is no container. */
function found(root: unknown, path: readonly string[]): unknown {
  let at = root
  for (const token of path) {
    if (Array.isArray(at)) at = at[place(token, at.length)]
    else if (isTree(at)) at = Object.hasOwn(at, token) ? at[token] : undefined
    else throw new Miss()
  }
  return at
}

/** The place in a list that a token names; a negative one counts from the end. Throws when it is outside. */
function place(token: string, length: number): number {
  if (!/^(?:0|-?[1-9]\d*)$/.test(token)) throw new Miss()
  const index = Number(token) < 0 ? length + Number(token) : Number(token)
  if (index < 0 || index >= length) throw new Miss()
  return index
}

/** The tokens of a JSON pointer (RFC 6901); there is at least one. */
function pointer(text: unknown): readonly string[] {
  const [, ...tokens] = typeof text === 'string' ? text.split('/') : []
  if (tokens.length === 0) throw new Miss()
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}
