import { createHmac, timingSafeEqual } from 'node:crypto'

const PART_BYTES = 16
/** Longer than the path of any webhook: nobody is to have allot compute the part of a long one. */
const LONGEST_PATH = 256
/** API servers take only lower-case letters, digits, hyphens and dots between the slashes of a Service's path. */
const GUARDED = /^(\/.+)\/([0-9a-f]{32})$/
const PART = /\/[0-9a-f]{32}$/

/** The path of a webhook with the part behind it that only those can make who know the key. It opens no other path. */
export const guardedPath = (path: string, key: Buffer): string => `${path}/${partOf(path, key).toString('hex')}`

/** Opens guarded paths. */
export class PathOpener {
  /** The parts of the paths that each key has opened: API servers ask for the same few, and strangers add nothing to them. */
  readonly #parts = new WeakMap<Buffer, Map<string, Buffer>>()

  /** Returns the path that stands before the part; undefined where none of the keys made the part for this path. */
  opened(guarded: string, keys: readonly Buffer[]): string | undefined {
    const [, path, part] = guarded.length > LONGEST_PATH ? [] : (GUARDED.exec(guarded) ?? [])
    if (path === undefined || part === undefined) return undefined
    const given = Buffer.from(part, 'hex')
    // Each key is tried, and each is compared in the same time, so that the time of an answer says nothing about any of them.
    const fitting = keys.filter((key) => this.#fits(given, path, key))
    return fitting.length > 0 ? path : undefined
  }

  #fits(given: Buffer, path: string, key: Buffer): boolean {
    const known = this.#parts.get(key) ?? new Map<string, Buffer>()
    const part = known.get(path) ?? partOf(path, key)
    const isFitting = timingSafeEqual(given, part)
    if (isFitting) this.#parts.set(key, known.set(path, part))
    return isFitting
  }
}

/** Does a path or a URL end with such a part, made with any key? */
export const seemsGuarded = (pathOrUrl: string): boolean => PART.test(pathOrUrl)

const partOf = (path: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(path).digest().subarray(0, PART_BYTES)
