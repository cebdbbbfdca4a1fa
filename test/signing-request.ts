import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** An element of ASN.1 (DER). */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** A key that nobody else should use; always the same, so that what fails with it can be repeated. */
const KEY = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${'a1'.repeat(32)}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
})
const ED25519 = der(0x30, der(0x06, Buffer.from('2b6570', 'hex')))
const UTF8 = 0x0c

export interface RequestOptions {
  /** Of the subject. */
  readonly organization?: string
  /** Of the text of the organization. */
  readonly tag?: number
  /** The signing key; default: the key that the request names. */
  readonly signer?: KeyObject
}

/** The PEM of a signed request for a certificate (PKCS #10). */
export function signingRequest({ organization = 'harbour', tag = UTF8, signer = KEY }: RequestOptions = {}): string {
  const attribute = der(0x30, der(0x06, Buffer.from('55040a', 'hex')), der(tag, Buffer.from(organization)))
  const subject = der(0x30, der(0x31, attribute))
  const key = createPublicKey(KEY).export({ format: 'der', type: 'spki' })
  const info = der(0x30, der(0x02, Buffer.from([0])), subject, key, der(0xa0))
  const signature = der(0x03, Buffer.from([0]), sign(undefined, info, signer))
  return pem('CERTIFICATE REQUEST', der(0x30, info, ED25519, signature))
}

export function pem(type: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()
  return `-----BEGIN ${type}-----\n${lines}\n-----END ${type}-----\n`
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Of somebody, signed with a key of their own. */
export const CERTIFICATE = pem(
  'CERTIFICATE',
  Buffer.from(
    'MIIBUTCCAQOgAwIBAgIUAUnNxrBpskTng+upaBfjfyROurQwBQYDK2VwMB0xGzAZBgNVBAMMEnBpbG90LmhhcmJvdXIudGVzdDAgFw0yNjExMjMwMzM4NTdaGA8yMTI2MTAzMDAzMzg1N1owHTEbMBkGA1UEAwwScGlsb3QuaGFyYm91ci50ZXN0MCowBQYDK2VwAyEA8aLAVtLFSI3d49meb+a0oMXcqbdq4GdV2HsnMyd6thGjUzBRMB0GA1UdDgQWBBTNjDtk7MY71AY7nfn0scaeGl5GZTAfBgNVHSMEGDAWgBTNjDtk7MY71AY7nfn0scaeGl5GZTAPBgNVHRMBAf8EBTADAQH/MAUGAytlcANBAKFYIvcmyjYj5mnrPZ+OODOGD3LildXYSbjlasOeMcPBjxgF+UWYkZUB5Zxz1BCAwC2l4UGaAS6BOUgoXtc7ywQ=',
    'base64',
  ),
)
