/** A uid as API servers make them. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const COMPACT = /^![0-9A-Za-z_-]{22}$/
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A uid in 23 instead of 36 characters: `!` and the digits of a UUID to the base 64. Any other text stays as it is. */
export function compactUid(uid: string): string {
  if (!UUID.test(uid)) return uid
  // With one digit more there are 33: three of them are two to the base 64.
  const hex = `${uid.replaceAll('-', '')}0`
  let text = '!'
  for (let at = 0; at < hex.length; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3), 16)
    text += DIGITS.charAt(bits >> 6) + DIGITS.charAt(bits & 63)
  }
  return text
}

/** The uid that `compactUid` made shorter. */
export function fullUid(text: string): string {
  if (!COMPACT.test(text)) return text
  let hex = ''
  for (let at = 1; at < text.length; at += 2) {
    const bits = (DIGITS.indexOf(text.charAt(at)) << 6) | DIGITS.indexOf(text.charAt(at + 1))
    hex += bits.toString(16).padStart(3, '0')
  }
  const [, ...groups] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hex) ?? []
  return groups.join('-')
}
