import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { type Caller, serviceAccountCaller } from '../../../machinery/caller.ts'
import type { ServerContext } from '../../resource/server-context.ts'
import { objectOf, textAt, textOf, textsOf } from '../../../machinery/read.ts'
import type { TokenSigner } from './token-signer.ts'

/** The issuer of the tokens and their default audience: the API server, as Kubernetes names it. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'
/** How long tokens stay good after what they are bound to has been marked for deletion and its grace is over. */
const LEEWAY_MS = 60_000
/** How many tokens are remembered as well signed: looking costs 100 µs. */
const REMEMBERED = 1024

/** An object that a token ends with. */
export interface Bound {
  readonly kind: 'Pod' | 'Secret' | 'Node'
  readonly name: string
  readonly uid: string
  /** The node that a bound pod is on. */
  readonly node?: { readonly name: string; readonly uid: string }
}

export interface TokenOptions {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly bound?: Bound
}

/** A caller identified by a token, and the requested audiences that the token is meant for. */
export interface Identified {
  readonly caller: Caller
  readonly audiences: readonly string[]
}

const BUCKETS = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const

/** Makes the tokens of ServiceAccounts and identifies their owners. A token ends with its account and with what it is bound to. */
export class ServiceAccountTokens {
  readonly #store: StoredObjects
  readonly #signer: TokenSigner
  readonly #serverContext: ServerContext
  readonly #known = new Map<string, JsonObject>()

  constructor(store: StoredObjects, signer: TokenSigner, serverContext: ServerContext) {
    this.#store = store
    this.#signer = signer
    this.#serverContext = serverContext
  }

  /** A new token, and when it expires, in milliseconds since the epoch. */
  issue({ namespace, name, uid, audiences, expirationSeconds, bound }: TokenOptions): {
    readonly token: string
    readonly expires: number
  } {
    const now = Math.floor(this.#serverContext.now() / 1000)
    const exp = now + expirationSeconds
    const token = this.#signer.sign({
      aud: audiences,
      exp,
      iat: now,
      iss: ISSUER,
      jti: this.#serverContext.uuid(),
      'kubernetes.io': { namespace, ...(bound === undefined ? {} : boundClaims(bound)), serviceaccount: { name, uid } },
      nbf: now,
      sub: serviceAccountCaller(namespace, name).name,
    })
    return { token, expires: exp * 1000 }
  }

  /** Whose token it is now, if it is meant for one of `audiences`; undefined when it is nobody's. */
  identify(token: string, audiences: readonly string[] = [ISSUER]): Identified | undefined {
    const claims = this.#claims(token)
    if (claims === undefined) return undefined
    const seconds = this.#serverContext.now() / 1000
    // Upstream allows the same for clocks that differ: a token is good although the clock was put back since.
    const leeway = LEEWAY_MS / 1000
    if (seconds - leeway > Number(claims['exp']) || seconds + leeway < Number(claims['nbf'])) return undefined
    if (claims['iss'] !== ISSUER) return undefined
    const meant = audiences.filter((audience) => textsOf(claims['aud']).includes(audience))
    const caller = meant.length === 0 ? undefined : this.#callerOf(claims)
    return caller === undefined ? undefined : { caller, audiences: meant }
  }

  #claims(token: string): JsonObject | undefined {
    const known = this.#known.get(token)
    if (known !== undefined) return known
    const claims = this.#signer.verify(token)
    if (claims === undefined) return undefined
    const [oldest] = this.#known.keys()
    if (this.#known.size >= REMEMBERED && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(token, claims)
    return claims
  }

  #callerOf(claims: JsonObject): Caller | undefined {
    const of = objectOf(claims['kubernetes.io'])
    const namespace = textOf(of['namespace'])
    const name = textAt(of, 'serviceaccount', 'name')
    const uid = textAt(of, 'serviceaccount', 'uid')
    if (!this.#lives('serviceaccounts', `${namespace}/${name}`, uid, 0)) return undefined
    const extra: Record<string, readonly string[]> = {
      'authentication.kubernetes.io/credential-id': [`JTI=${textOf(claims['jti'])}`],
    }
    for (const [kind, bucket] of Object.entries(BUCKETS)) {
      const claim = kind.toLowerCase()
      if (of[claim] === undefined) continue
      const bound = { name: textAt(of, claim, 'name'), uid: textAt(of, claim, 'uid') }
      // The node of a bound pod is only a claim of the token; the node may be gone.
      const isReported = kind === 'Node' && of['pod'] !== undefined
      if (
        !isReported &&
        !this.#lives(bucket, kind === 'Node' ? bound.name : `${namespace}/${bound.name}`, bound.uid, LEEWAY_MS)
      )
        return undefined
      if (kind === 'Secret') continue
      extra[`authentication.kubernetes.io/${claim}-name`] = [bound.name]
      if (bound.uid !== '') extra[`authentication.kubernetes.io/${claim}-uid`] = [bound.uid]
    }
    const { name: user, groups } = serviceAccountCaller(namespace, name)
    return { name: user, uid, groups, extra }
  }

  /** Is there still the very same object, and its time not over? */
  #lives(bucket: string, key: string, uid: string, leewayMs: number): boolean {
    const object: KubeObject | undefined = this.#store.get(bucket, key)?.object
    if (object === undefined || object.metadata.uid !== uid) return false
    const { deletionTimestamp } = object.metadata
    return deletionTimestamp === undefined || this.#serverContext.now() <= Date.parse(deletionTimestamp) + leewayMs
  }
}

function boundClaims({ kind, name, uid, node }: Bound): JsonObject {
  return { [kind.toLowerCase()]: { name, uid }, ...(node === undefined ? {} : { node }) }
}
