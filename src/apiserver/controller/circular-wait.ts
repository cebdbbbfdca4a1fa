import type { OwnershipIndex } from './ownership-index.ts'

/** Where an object that waits for its dependents is stored. */
export interface StoredPlace {
  readonly bucket: string
  readonly key: string
}

/**
 * Does the object with this uid wait for itself, because what it keeps waits for what that keeps, and so on?
 * `waiting`: the objects that wait for their dependents, by uid.
 */
export function waitsForItself(uid: string, index: OwnershipIndex, waiting: ReadonlyMap<string, StoredPlace>): boolean {
  const seen = new Set<string>()
  const rest = [uid]
  for (let here = rest.pop(); here !== undefined; here = rest.pop()) {
    const place = waiting.get(here)
    const links = place === undefined ? [] : (index.find(place.bucket, place.key)?.links ?? [])
    for (const link of links) {
      if (!link.blocks || !waiting.has(link.uid) || seen.has(link.uid)) continue
      if (link.uid === uid) return true
      seen.add(link.uid)
      rest.push(link.uid)
    }
  }
  return false
}
