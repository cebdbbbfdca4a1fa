import type { KeyPair } from '../src/runtime/certificate/certificate-check.ts'

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
}

/** The server of this name that all tests of this run share; the first that asks has it started. Throws when it does not start. */
export async function shareServer(name: SharedServerName): Promise<SharedServer> {
  return (await ask('GET', encodeURIComponent(name))) as SharedServer
}

/** Where borrowed real servers are asked for. */
export const BORROWED = 'borrowed'

/** A server that no other test uses until it is given back. */
export interface BorrowedServer {
  /** Where its credentials and logs are. */
  readonly directory: string
  readonly giveBack: () => Promise<void>
}

/** A real server that the tests of this run use one after the other, with nothing of others on it. Throws when it does not start. */
export async function borrowServer(): Promise<BorrowedServer> {
  const { directory } = (await ask('GET', BORROWED)) as { readonly directory: string }
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
