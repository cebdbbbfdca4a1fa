import { afterEach, expect } from 'vitest'
import type { ClusterAccess } from '../../src/kube/access/cluster-access.ts'
import { fixedCredential } from '../../src/kube/credentials/source.ts'
import type { SystemContext } from '../../src/kube/time/system-context.ts'
import { ServerUnreachable } from '../../src/kube/transport/server-unreachable.ts'
import { systemContext } from '../../src/kube/time/system-context.ts'
import { Transport, type TransportOptions } from '../../src/kube/transport/transport.ts'
import { type Handler, json, TlsServer, type TlsServerOptions } from './tls-server.ts'

export const accessTo = (server: TlsServer, more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  source: 'test',
  server: server.url,
  namespace: 'default',
  authority: { text: server.authority.certificate },
  insecureSkipTlsVerify: false,
  credentials: { type: 'none' },
  ...more,
})

/** Waits take no time, and are written down. */
export function hasty(): { readonly waits: number[]; readonly context: SystemContext } {
  const waits: number[] = []
  let now = 0
  return {
    waits,
    context: {
      ...systemContext,
      random: () => 0.5,
      monotonic: () => now,
      sleep: async (ms) => {
        waits.push(ms)
        now += ms
      },
    },
  }
}

export const get = { method: 'GET', path: '/x' } as const

/** Returns the error of the call. */
export async function unreachable(call: Promise<unknown>): Promise<ServerUnreachable> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ServerUnreachable)
  return error as ServerUnreachable
}

/** Servers and transports that end with the test that makes them. */
export function transports() {
  const cleanup: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of cleanup.splice(0).toReversed()) await end()
  })

  async function serve(handle: Handler = (_, response) => json(response, 200, {}), options: TlsServerOptions = {}) {
    const server = await TlsServer.start(handle, options)
    cleanup.push(() => server[Symbol.asyncDispose]())
    return server
  }

  function transport(access: ClusterAccess, options: Partial<TransportOptions> = {}): Transport {
    const made = new Transport({
      access,
      credentials: fixedCredential({}),
      context: systemContext,
      version: '1.2.3',
      ...options,
    })
    cleanup.push(() => made.close())
    return made
  }

  return {
    serve,
    transport,
    /** Runs at the end of the test, what came last first. */
    afterwards: (end: () => Promise<unknown>): void => void cleanup.push(end),
  }
}
