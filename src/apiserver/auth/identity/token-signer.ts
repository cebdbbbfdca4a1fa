import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { isObject, type JsonObject } from '../../../machinery/object.ts'

const ALGORITHM = 'ES256'
/** JWTs carry the two numbers of an ECDSA signature one behind the other. */
const ENCODING = { dsaEncoding: 'ieee-p1363' } as const

/** Signs JSON Web Tokens with a key for P-256, and verifies its own. */
export class TokenSigner {
  readonly #private: KeyObject
  readonly #public: KeyObject
  readonly #header: string

  /** `key`: PEM; without it the signer has a key that ends with the process. */
  constructor(key?: string) {
    this.#private =
      key === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : createPrivateKey(key)
    this.#public = createPublicKey(this.#private)
    const id = createHash('sha256')
      .update(this.#public.export({ type: 'spki', format: 'der' }))
      .digest('base64url')
    this.#header = base64url({ alg: ALGORITHM, kid: id })
  }

  sign(claims: JsonObject): string {
    const content = `${this.#header}.${base64url(claims)}`
    return `${content}.${sign('sha256', Buffer.from(content), { key: this.#private, ...ENCODING }).toString('base64url')}`
  }

  /** The claims of a token that this signer made; undefined for anything else. Nothing in them is checked, nor is the time. */
  verify(token: string): JsonObject | undefined {
    const [header, claims, signature, ...rest] = token.split('.')
    if (header !== this.#header || claims === undefined || signature === undefined || rest.length > 0) return undefined
    const bytes = Buffer.from(signature, 'base64url')
    // A token has one text: another spelling of the same signature is not accepted.
    if (bytes.toString('base64url') !== signature) return undefined
    if (!verify('sha256', Buffer.from(`${header}.${claims}`), { key: this.#public, ...ENCODING }, bytes))
      return undefined
    const parsed: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())
    return isObject(parsed) ? parsed : undefined
  }
}

const base64url = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url')
