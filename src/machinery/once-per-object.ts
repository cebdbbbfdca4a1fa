/**
 * A function of an object that never changes, which works its answer out once for each object and forgets it with the object.
 * A value whose derivation threw is derived again.
 */
export function oncePerObject<K extends object, V>(derive: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, { readonly value: V }>()
  return (object) => {
    const before = known.get(object)
    if (before !== undefined) return before.value
    const value = derive(object)
    known.set(object, { value })
    return value
  }
}
