import { createHmac, timingSafeEqual } from 'node:crypto'

/** Paths begin with a slash: no part of a URL is the seal of a text. */
const LABEL = 'text\n'
const SEAL_BYTES = 32

/** The seal of a text, which nobody makes without the key. */
export const sealOf = (text: string, key: Buffer): string => bytesOf(text, key).toString('hex')

/** Did one of the keys make the seal? Each is tried, in the same time. */
export function isSealOf(text: string, seal: string, keys: readonly Buffer[]): boolean {
  const given = Buffer.from(seal, 'hex')
  if (given.length !== SEAL_BYTES) return false
  return keys.filter((key) => timingSafeEqual(given, bytesOf(text, key))).length > 0
}

const bytesOf = (text: string, key: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(LABEL + text)
    .digest()
