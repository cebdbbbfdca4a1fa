import { type ConnectionOptions, createSecureContext, getCACertificates } from 'node:tls'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { ClusterAccess } from '../access/cluster-access.ts'
import { sameMaterial, type TlsMaterial } from '../access/tls-material.ts'

/** One set for calls, which are short and many, another for watches, of which each keeps its connection. */
export interface ConnectionSets {
  readonly calls: Dispatcher
  readonly watches: Dispatcher
  /** Each call makes a connection and ends it, so a balancer leads it to any server. */
  readonly single: Dispatcher
}

type TlsOptions = Pick<ConnectionOptions, 'secureContext' | 'servername' | 'rejectUnauthorized'>

const CONNECT_TIMEOUT_MS = 10_000
/** Shorter than the idle time after which load balancers drop connections without a word (AWS: 350 s, Azure: 240 s). */
const IDLE_MS = 30_000
/** With the ten probes of a second each that Node sends, a dead peer is found within 40 seconds. */
const KEEPALIVE_PROBE_MS = 30_000

/** The kept connections to one server; new ones are made when the certificates change, old ones end with their last answer. */
export class Connections {
  readonly #access: Pick<ClusterAccess, 'insecureSkipTlsVerify' | 'tlsServerName'>
  readonly #proxyUrl: string | undefined
  readonly #maxCalls: number
  readonly #all = new Set<Dispatcher>()
  #current: { readonly material: TlsMaterial; readonly sets: ConnectionSets } | undefined

  /** @param maxCalls how many connections calls may use; watches use as many as there are watches */
  constructor(
    access: Pick<ClusterAccess, 'insecureSkipTlsVerify' | 'tlsServerName'>,
    { proxyUrl, maxCalls }: { readonly proxyUrl: string | undefined; readonly maxCalls: number },
  ) {
    this.#access = access
    this.#proxyUrl = proxyUrl
    this.#maxCalls = maxCalls
  }

  /** Connections that are made with these certificates. */
  with(material: TlsMaterial): ConnectionSets {
    const current = this.#current
    if (current !== undefined && sameMaterial(current.material, material)) return current.sets
    if (current !== undefined) this.#retire(current.sets)
    const tls = this.#tls(material)
    const sets = {
      calls: this.#open(tls, this.#maxCalls),
      watches: this.#open(tls, null),
      single: this.#open(tls, this.#maxCalls, 0),
    }
    this.#current = { material, sets }
    return sets
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    this.#current = undefined
    await Promise.all([...this.#all].map((one) => one.destroy()))
    this.#all.clear()
  }

  #retire(sets: ConnectionSets): void {
    for (const old of [sets.calls, sets.watches, sets.single]) {
      const forget = (): void => void this.#all.delete(old)
      old.close().then(forget, forget)
    }
  }

  #tls(material: TlsMaterial): TlsOptions {
    const { insecureSkipTlsVerify, tlsServerName } = this.#access
    return {
      // Made once: for each connection anew, hundreds of authorities of the system would be read again.
      secureContext: createSecureContext({
        ca: material.authority ?? systemAuthorities(),
        ...(material.certificate === undefined ? {} : { cert: material.certificate }),
        ...(material.key === undefined ? {} : { key: material.key }),
      }),
      ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
      rejectUnauthorized: !insecureSkipTlsVerify,
    }
  }

  /** `pipelining`: 0 keeps no connection. */
  #open(tls: TlsOptions, connections: number | null, pipelining: 0 | 1 = 1): Dispatcher {
    const connecting = { timeout: CONNECT_TIMEOUT_MS, keepAliveInitialDelay: KEEPALIVE_PROBE_MS, allowH2: false }
    const shared = {
      connections,
      allowH2: false,
      pipelining,
      keepAliveTimeout: IDLE_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Deadlines are the transport's.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    const opened =
      this.#proxyUrl === undefined
        ? new Agent({ ...shared, connect: { ...connecting, ...tls } })
        : new ProxyAgent({
            ...shared,
            uri: this.#proxyUrl,
            requestTls: { ...connecting, ...tls },
            proxyTls: { ...connecting, secureContext: createSecureContext({ ca: systemAuthorities() }) },
          })
    this.#all.add(opened)
    return opened
  }
}

/** As client-go: the authorities of the system, and those of Node. */
function systemAuthorities(): string[] {
  return [...new Set([...getCACertificates('default'), ...getCACertificates('system')])]
}
