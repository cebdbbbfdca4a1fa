import type { PathElement } from './field/path-element.ts'

export interface ListItem {
  readonly element: PathElement
  readonly value: unknown
}

/** The two items that become one item of the merged list; `undefined` where a side does not have it. */
export interface ItemPair {
  readonly live: unknown
  readonly applied: unknown
}

/**
 * Returns the items to merge, in order: applied items as applied, each live item that is not applied after those it
 * followed, live ones first where both could come. Of live duplicates none is merged with the applied item.
 */
export function mergeOrder(live: readonly ListItem[], applied: readonly ListItem[]): ItemPair[] {
  const old = new Map<PathElement, unknown>()
  for (const { element, value } of live) old.set(element, old.has(element) ? null : value)
  const wanted = new Set(applied.map(({ element }) => element))
  const shared = applied.map(({ element }) => element).filter((element) => old.has(element))
  const taken = new Set<PathElement>()
  const pairs: ItemPair[] = []
  let next = 0
  let left = 0
  let right = 0
  const take = (item: ListItem): void => {
    taken.add(item.element)
    pairs.push({ live: old.get(item.element), applied: item.value })
    if (shared[next] === item.element) next++
    right++
  }
  while (left < live.length || right < applied.length) {
    const mine = live[left]
    const theirs = applied[right]
    if (mine !== undefined && theirs !== undefined) {
      if (mine.element === theirs.element) {
        take(theirs)
        left++
        continue
      }
      // It has moved: it comes where the applied list has it.
      if (wanted.has(mine.element) && shared[next] !== undefined && shared[next] !== mine.element) {
        left++
        continue
      }
    }
    if (mine !== undefined) {
      if (!wanted.has(mine.element)) {
        pairs.push({ live: mine.value, applied: undefined })
        left++
        continue
      }
      if (taken.has(mine.element)) left++
    }
    if (theirs !== undefined) take(theirs)
  }
  return pairs
}
