import type { KeyPair } from '../src/runtime/certificate/check.ts'

/** Names the address at which a run of tests gives out what its tests share (shared-servers.ts). */
export const SHARED_SERVERS = 'ALLOT_SHARED_SERVERS'

/** `real`: a real API server; else a server with a running operator. */
export type SharedServerName = string

/** A server that other tests use at the same time: all that a test makes on it has a name that no other uses. */
export interface SharedServer {
  readonly url: string
  /** An administrator's. */
  readonly token: string
  readonly kubeconfig: string
  /** Whose client certificates a real API server accepts. */
  readonly clientAuthority?: KeyPair
  /** Those of the operator, where one runs. */
  readonly metricsPort?: number
  readonly healthPort?: number
  /** Where the API of the dashboard is, where an operator runs. */
  readonly dashboardUrl?: string
}

/**
 * The server of this name that all tests of this run share; the first that asks has it started. It may stand still when all have
 * given it back. Throws when it does not start.
 */
export async function shareServer(
  name: SharedServerName,
): Promise<SharedServer & { readonly giveBack: () => Promise<void> }> {
  const path = encodeURIComponent(name)
  const server = (await ask('GET', path)) as SharedServer
  return { ...server, giveBack: async () => void (await ask('DELETE', path)) }
}

/** Where borrowed real servers are asked for. */
export const BORROWED = 'borrowed'
/** The parameter that asks for a bare one. */
export const BARE = 'bare'

export interface BorrowOptions {
  /** Also without the CRDs of allot, which are there or not else: so that tests see how they are installed. A bare server costs a start. */
  readonly isBare?: boolean
}

/** A server that no other test uses until it is given back. */
export interface BorrowedServer {
  /** Where its credentials and logs are. */
  readonly directory: string
  readonly giveBack: () => Promise<void>
}

/**
 * A real server that the tests of this run use one after the other, with nothing of others on it but, perhaps, the CRDs of allot.
 * Throws when it does not start.
 */
export async function borrowServer({ isBare = false }: BorrowOptions = {}): Promise<BorrowedServer> {
  const path = isBare ? `${BORROWED}?${BARE}` : BORROWED
  const { directory } = (await ask('GET', path)) as { readonly directory: string }
  const back = `${BORROWED}?directory=${encodeURIComponent(directory)}`
  return { directory, giveBack: async () => void (await ask('DELETE', back)) }
}

async function ask(method: string, path: string): Promise<unknown> {
  const address = process.env[SHARED_SERVERS]
  if (address === undefined) throw new Error('servers are shared only in runs of vitest (test/shared-servers.ts)')
  const response = await fetch(`${address}/${path}`, { method })
  const text = await response.text()
  if (!response.ok) throw new Error(`the shared server ${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
