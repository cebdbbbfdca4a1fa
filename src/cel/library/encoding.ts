/** The bytes of a text in UTF-8. */
export const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The text that bytes are in UTF-8, or `undefined` where they are none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The bytes of standard base64, with or without line ends, or `undefined`. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll(/[\r\n]/g, '')
  if (plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined
  return Uint8Array.from(atob(plain), (one) => one.charCodeAt(0))
}

/** Two digits for each byte. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
