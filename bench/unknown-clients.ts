// The cost of unknown clients for the others of `allot up`: how long an authenticated client waits for a small answer while
// one peer floods the server, beside a peer that does nothing but TLS handshakes. One JSON line per flood.
//
//   BENCH_SECONDS=2 node bench/unknown-clients.ts [part of the name of a flood …]
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UNKNOWN_FLOODS } from '../test/robustness/unknown-floods.ts'
import { mainThreadMs } from '../test/growth.ts'
import { startAllot } from '../test/start-allot.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? '2')
const CONNECTIONS = 4
const PAUSE_MS = 5
/** The bytes that one connection sends: a short flood, which is over at once, and one that goes on. */
const BYTES = [86_000, 3_000_000]
const FLOOD = fileURLToPath(new URL('flood/flood.ts', import.meta.url))

const parts = process.argv.slice(2)
const kinds = Object.keys(UNKNOWN_FLOODS).filter(
  (kind) => parts.length === 0 || parts.some((part) => kind.includes(part)),
)

await using allot = await startAllot()
const request = rawRequest(allot, 'GET', '/api/v1/namespaces/default')
const connection = await RawConnection.open(allot.url)

interface Waits {
  readonly p50: number
  readonly p99: number
  readonly worst: number
  /** The most CPU time in milliseconds that the server's thread took during one wait: what the wait was on a machine of its own. */
  readonly worstCpu: number
  /** The part of the time in which the server's thread was busy. */
  readonly busy: number
}

async function waits(): Promise<Waits> {
  const all: number[] = []
  let worstCpu = 0
  const began = performance.now()
  const before = mainThreadMs(allot.pid)
  while (performance.now() - began < SECONDS * 1000) {
    const [asked, spent] = [performance.now(), mainThreadMs(allot.pid)]
    const { code } = await connection.send(request)
    if (code !== 200) throw new Error(`the server answered ${code}`)
    all.push(performance.now() - asked)
    worstCpu = Math.max(worstCpu, mainThreadMs(allot.pid) - spent)
    await sleep(PAUSE_MS)
  }
  const busy = (mainThreadMs(allot.pid) - before) / (performance.now() - began)
  all.sort((a, b) => a - b)
  const at = (part: number): number => round(all[Math.min(all.length - 1, Math.floor(all.length * part))] ?? NaN)
  return { p50: at(0.5), p99: at(0.99), worst: at(1), worstCpu: round(worstCpu), busy: round(busy) }
}

const round = (value: number): number => Math.round(value * 100) / 100

async function flooded(args: readonly string[]): Promise<Waits & { readonly connectionsPerSecond: number }> {
  const flood = spawn(process.execPath, [FLOOD, allot.url, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let count = 0
  const hasBegun = new Promise<void>((resolve, reject) => {
    flood.stdout.on('data', (data: Buffer) => {
      count = Number(String(data).trim().split('\n').at(-1))
      if (count > 0) resolve()
    })
    flood.once('exit', () => reject(new Error('the flood ended')))
  })
  try {
    await hasBegun
    const before = count
    const measured = await waits()
    return { ...measured, connectionsPerSecond: Math.round((count - before) / SECONDS) }
  } finally {
    flood.kill()
  }
}

const print = (line: object): void => console.log(JSON.stringify({ bench: 'unknown-clients', ...line }))
await waits()
print({ flood: 'none', ...(await waits()) })
for (const connections of [1, CONNECTIONS])
  print({ flood: 'handshakes', connections, ...(await flooded([String(connections), '0'])) })
for (const kind of kinds)
  for (const bytes of BYTES)
    print({
      flood: kind,
      connections: CONNECTIONS,
      bytes,
      ...(await flooded([String(CONNECTIONS), String(bytes), kind])),
    })
connection.close()
