// One server of each sort for a whole run of tests, started when the first test asks for it, and stopped behind the last.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeAuthority } from '../src/runtime/certificate/certificates.ts'
import { cleanServer } from './differential/clean-server.ts'
import { type StartedServer, startRealServer } from './differential/real-server.ts'
import { RealServerPool } from './differential/real-server-pool.ts'
import { operatedServers } from './operator/operated.ts'
import { BARE, BORROWED, SHARED_SERVERS, type SharedServer, type SharedServerName } from './share-server.ts'
import { temporaryDirectory } from './start-allot.ts'

/** The handle that tests get, and the end of the server. */
interface Started extends AsyncDisposable {
  readonly shared: SharedServer
  /** Keeps it from running while nobody uses it, or lets it go on; left out: it always runs. */
  readonly pause?: (isPaused: boolean) => Promise<void>
}

/** One for each file that runs. To start one and to install the CRDs of allot on it takes four seconds of CPU time. */
const BORROWED_SERVERS = { most: 4, patienceMs: 60_000 }

const STARTS: Readonly<Record<SharedServerName, () => Promise<Started>>> = {
  real: startReal,
  ...Object.fromEntries(
    operatedServers.map(({ name, start }) => [`${name}, operated`, () => startOperated(name, start)] as const),
  ),
}

/** Runs before the first test, in the process that starts the workers; what it gives runs behind the last. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Of several projects of one run the first starts it.
  if (process.env[SHARED_SERVERS] !== undefined) return undefined
  const started = new Map<SharedServerName, Promise<Started>>()
  const users = new Map<SharedServerName, number>()
  const use = async (name: SharedServerName, more: 1 | -1): Promise<Started> => {
    const starting = started.get(name) ?? STARTS[name]?.()
    if (starting === undefined) throw new Error('no shared server has this name')
    started.set(name, starting)
    const server = await starting
    const count = (users.get(name) ?? 0) + more
    users.set(name, count)
    // A real control plane takes a twentieth of a core with nothing to do.
    if (count === Math.max(more, 0)) await server.pause?.(count === 0)
    return server
  }
  const pool = new RealServerPool({ start: () => startRealServer(), clean: cleaner(), ...BORROWED_SERVERS })
  const answerTo = async (method: string, { pathname, searchParams }: URL): Promise<unknown> => {
    const name = decodeURIComponent(pathname.slice(1))
    if (name === BORROWED && method === 'GET')
      return { directory: (await pool.lend({ isBare: searchParams.has(BARE) })).directory }
    if (name === BORROWED) return pool.takeBack(searchParams.get('directory') ?? '')
    return (await use(name, method === 'DELETE' ? -1 : 1)).shared
  }
  const listener = createServer((request, response) => {
    answerTo(request.method ?? '', new URL(request.url ?? '/', 'http://localhost'))
      .then((answer) => response.end(JSON.stringify(answer ?? {})))
      .catch((error: unknown) => {
        response.statusCode = 500
        response.end(String(error))
      })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  process.env[SHARED_SERVERS] = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return async () => {
    pool.close()
    const settled = await Promise.allSettled([...started].map(async ([name, server]) => [name, await server] as const))
    for (const one of settled) {
      if (one.status === 'rejected') continue
      const [name, server] = one.value
      if (users.get(name) === 0) await server.pause?.(false)
      await server[Symbol.asyncDispose]()
    }
    await pool[Symbol.asyncDispose]()
    delete process.env[SHARED_SERVERS]
    listener.close()
  }
}

/**
 * Cleans servers. A controller manager misses kinds that come again for minutes: where CRDs went or may have gone, or it runs other
 * controllers, it is ended, and starts anew when the server is lent.
 */
function cleaner(): (server: StartedServer) => Promise<void> {
  const known = new Map<string, readonly string[]>()
  return async (server) => {
    await server.reviveManager()
    // It would do at great cost what is done here.
    server.holdManager(true)
    const { kept, isAnyRemoved } = await cleanServer(server).finally(() => server.holdManager(false))
    const areAllThere = known.get(server.directory)?.every((uid) => kept.includes(uid)) === true
    known.set(server.directory, kept)
    if (isAnyRemoved || !areAllThere || !server.hasItsControllers()) server.endManager()
  }
}

async function startReal(): Promise<Started> {
  const authority = await makeAuthority(Date.now())
  const file = join(temporaryDirectory(), 'clients.crt')
  writeFileSync(file, authority.certificate)
  const real = await startRealServer({ flags: `--client-ca-file=${file}`, isWhole: true })
  const { url, token, kubeconfig } = real
  return {
    shared: {
      url,
      token,
      kubeconfig,
      // Started by somebody else, it knows no authority of ours.
      ...(process.env['ALLOT_REAL_DIR'] === undefined ? { clientAuthority: authority } : {}),
    },
    pause: real.pause,
    [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
  }
}

async function startOperated(name: string, start: (typeof operatedServers)[number]['start']): Promise<Started> {
  // `allot up` serves it unless it is asked not to.
  const server = await start({ isWhole: true, args: name === 'allot up' ? [] : ['--dashboard'] })
  const { url, token, kubeconfig, metricsPort, healthPort, dashboardUrl } = server
  return {
    shared: { url, token, kubeconfig, metricsPort, healthPort, dashboardUrl },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
