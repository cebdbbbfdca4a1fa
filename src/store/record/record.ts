import type { KubeObject } from '../../machinery/object.ts'
import type { ObjectCache, Parsed } from './object-cache.ts'

/** One version of one object. Immutable; the same text serves the log, lists, watches and responses. */
export class StoredRecord implements Parsed {
  readonly bucket: string
  /** `namespace/name`, or `name` where there are no namespaces. */
  readonly key: string
  /** The write that made this version; also `metadata.resourceVersion`. */
  readonly revision: number
  /** The write that created the object. */
  readonly created: number
  /** The object as JSON, exactly as stored. */
  readonly text: string
  readonly #cache: ObjectCache
  #object: KubeObject | undefined
  /** Is it the object that came with the write? It stays for a while however often it is used. */
  #fresh = false
  #generation = 0

  constructor(
    cache: ObjectCache,
    bucket: string,
    key: string,
    revision: number,
    created: number,
    text: string,
    object?: KubeObject,
  ) {
    this.bucket = bucket
    this.key = key
    this.revision = revision
    this.created = created
    this.text = text
    this.#cache = cache
    this.#object = object
    if (object !== undefined) {
      if (cache.freeze) freezeJson(object)
      this.#fresh = true
      cache.hold(this)
    }
  }

  /** The parsed object: shared, never to be changed. Parsed on first use and kept while it is used. */
  get object(): KubeObject {
    let object = this.#object
    if (object === undefined) {
      const parsed: unknown = JSON.parse(this.text)
      if (this.#cache.freeze) freezeJson(parsed)
      // The text was made from a KubeObject and carries a checksum on disk.
      object = parsed as KubeObject
      this.#object = object
    }
    if (!this.#fresh && this.#generation !== this.#cache.generation) this.#generation = this.#cache.admit(this)
    return object
  }

  release(): void {
    this.#fresh = false
    this.#object = undefined
  }

  forgetOlder(than: number): void {
    if (this.#generation < than) this.#object = undefined
  }
}

/**
 * Freezes `value` and everything in it. Throws a TypeError with the path of a value that JSON does not preserve
 * (`undefined`, functions, dates, bigints, NaN). An object that is kept beside its text must equal its text.
 */
function freezeJson(value: unknown, path = ''): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object')
    throw new TypeError(`${path}: ${typeof value === 'number' ? value : typeof value} is not JSON`)
  if (!Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]')
    throw new TypeError(`${path}: ${Object.prototype.toString.call(value)} is not JSON`)
  for (const [key, inner] of Object.entries(value)) freezeJson(inner, `${path}.${key}`)
  Object.freeze(value)
}
