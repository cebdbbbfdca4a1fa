import '../../src/runtime/certificate/reflect-metadata.ts'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import type { HttpKubeClient } from '../../src/kube/client/http-kube-client.ts'
import { loadAccess } from '../../src/kube/kubeconfig/kubeconfig.ts'
import { type OpenKubeClient, openKubeClient, type OpenOptions } from '../../src/kube/open-kube-client.ts'
import type { KeyPair } from '../../src/runtime/certificate/check.ts'
import { assets } from '../differential/real-server.ts'
import { shareServer } from '../share-server.ts'
import { startAllot } from '../start-allot.ts'
import { NAMESPACES } from './core-kinds.ts'

/** A server to test clients with. */
export interface TestServer {
  readonly kubeconfig: string
  /** Whose client certificates it accepts; undefined when it was started by someone else. */
  readonly clientAuthority: KeyPair | undefined
  readonly stop: () => Promise<void>
}

/** The servers that the clients must work with: `allot up`, and the real API server where this machine has one. */
export const servers: readonly (readonly [name: string, start: () => Promise<TestServer>])[] = [
  ['allot up', startEmbedded],
  ...(assets === undefined ? [] : [['the real API server', shareReal] as const]),
]

/** The servers and helpers of a suite. */
export interface Suite {
  readonly server: TestServer
  /** The administrator's, of any speed. */
  readonly client: HttpKubeClient
}

/** Starts a server before the tests of the suite that this is called in, and stops it after them. */
export function forSuite(start: () => Promise<TestServer>): Suite {
  let server: TestServer
  let open: OpenKubeClient
  beforeAll(async () => {
    server = await start()
    open = openClient(server.kubeconfig, { rate: { qps: 0, burst: 0 } })
    await vi.waitFor(() => open.client.get(NAMESPACES, { namespace: '', name: 'default' }), 20_000)
  })
  afterAll(async () => {
    await open?.close()
    await server?.stop()
  })
  return {
    get server() {
      return server
    },
    get client() {
      return open.client
    },
  }
}

async function startEmbedded(): Promise<TestServer> {
  const allot = await startAllot({ args: ['--in-memory'] })
  const read = (name: string): string => readFileSync(join(allot.dataDir, name), 'utf8')
  return {
    kubeconfig: allot.kubeconfig,
    clientAuthority: { certificate: read('ca.crt'), key: read('ca.key') },
    stop: async () => void (await allot.stop()),
  }
}

async function shareReal(): Promise<TestServer> {
  const { kubeconfig, clientAuthority, giveBack } = await shareServer('real')
  return { kubeconfig, clientAuthority, stop: giveBack }
}

/** A client with the credentials of a kubeconfig. */
export function openClient(kubeconfig: string, options: Partial<OpenOptions> = {}): OpenKubeClient {
  const environment = { PATH: process.env['PATH'] }
  const access = loadAccess({
    kubeconfig,
    environment,
    home: homedir(),
    readText: (file) => readFileSync(file, 'utf8'),
  })
  return openKubeClient({ access, environment, version: 'test', ...options })
}
