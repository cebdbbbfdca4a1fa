/** Compares as Go compares strings, by UTF-8 bytes, which is by code point; UTF-16 order differs above U+D7FF. */
export function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above all others, though some code units are larger. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** The names of an object's members that have a value, in Go's order. */
export function sortedNames(members: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(members)
    .filter((name) => members[name] !== undefined)
    .toSorted(byCodePoint)
}
