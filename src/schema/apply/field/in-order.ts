/** So few are put in place one by one: the working memory of the engine's sort costs more than that. */
const FEW = 32

/** The items in order; equal ones stay as they come. The same array where they are in order already. */
export function inOrder<T>(items: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  if (isInOrder(items, compare)) return items
  if (items.length > FEW) return items.toSorted(compare)
  const result: T[] = []
  for (const item of items) {
    let place = result.length
    result.push(item)
    for (; place > 0; place--) {
      const before = result[place - 1]
      if (before === undefined || compare(before, item) <= 0) break
      result[place] = before
    }
    result[place] = item
  }
  return result
}

function isInOrder<T>(items: readonly T[], compare: (a: T, b: T) => number): boolean {
  let last: T | undefined
  for (const item of items) {
    if (last !== undefined && compare(last, item) > 0) return false
    last = item
  }
  return true
}
