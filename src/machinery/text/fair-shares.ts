/**
 * Parts of `most` for those who want so much: whoever wants little gets all of it, and the others get the same, the first ones one more where it
 * does not divide.
 */
export function fairShares(wants: readonly number[], most: number): readonly number[] {
  const shares = wants.map(() => 0)
  const ascending = wants.map((want, at) => ({ want, at })).toSorted((a, b) => a.want - b.want || b.at - a.at)
  let left = most
  for (const [served, { want, at }] of ascending.entries()) {
    const share = Math.min(want, Math.floor(left / (ascending.length - served)))
    shares[at] = share
    left -= share
  }
  return shares
}
