/** Letters and digits that form no words (apimachinery `rand.SafeEncodeString`). */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const FNV_OFFSET = 0x81_1c_9d_c5
const FNV_PRIME = 0x01_00_01_93

/** A short name for what a template says: equal templates have equal hashes, whatever the order of their fields. */
export function templateHash(template: unknown, collisions = 0): string {
  let hash = FNV_OFFSET
  for (const byte of new TextEncoder().encode(`${canonical(template)}${collisions === 0 ? '' : collisions}`))
    hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0
  return String(hash).replaceAll(/\d/g, (digit) => ALPHABET.charAt(Number(digit)))
}

/** JSON with the names of objects in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : member,
  )
}
