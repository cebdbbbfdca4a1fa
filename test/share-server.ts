import type { KeyPair } from '../src/runtime/certificate-check.ts'

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
  const address = process.env[SHARED_SERVERS]
  if (address === undefined) throw new Error('servers are shared only in runs of vitest (test/shared-servers.ts)')
  const response = await fetch(`${address}/${encodeURIComponent(name)}`)
  const text = await response.text()
  if (!response.ok) throw new Error(`the shared server ${name}: ${response.status} ${text}`)
  return JSON.parse(text) as SharedServer
}
