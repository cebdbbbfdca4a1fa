const OFFSET_BASIS = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/**
 * FNV-1a over the UTF-8 bytes, 64 bits as 16 hex digits: distinguishes texts that were not chosen in order to collide. It does not
 * protect against an attacker.
 */
export function textHash(text: string): string {
  let hash = OFFSET_BASIS
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME)
  return hash.toString(16).padStart(16, '0')
}
