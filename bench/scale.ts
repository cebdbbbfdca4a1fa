// A large cluster on `allot up` with durable storage: 100,000 pods in 1,000 namespaces, created through the API. Memory,
// first pages, 1,000 watches that must miss nothing, and the time until it is ready again on that store. One JSON line per
// figure. `node bench/scale.ts [pods per namespace] [namespaces] [watches]`
import { readFileSync } from 'node:fs'
import { type Allot, startAllot } from '../test/start-allot.ts'
import { fill, namespaceName } from './fill.ts'
import { podNamed } from './load.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'
import { watchCrowd } from './watch-crowd.ts'

const [podsEach = 100, namespaces = 1000, watches = 1000] = process.argv.slice(2).map(Number)
const FILLING = { namespaces, podsEach, prefix: 'scale' }
const PAGES = 31
const WRITES = 200

const print = (figure: string, value: number, unit: string): void =>
  console.log(JSON.stringify({ bench: 'scale', figure, value: Math.round(value * 100) / 100, unit }))

function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

async function firstPage(allot: Allot, path: string): Promise<number> {
  const connection = await RawConnection.open(allot.url)
  const took: number[] = []
  for (let n = 0; n < PAGES; n++) {
    const started = performance.now()
    const { code } = await connection.send(rawRequest(allot, 'GET', `${path}?limit=500`))
    took.push(performance.now() - started)
    if (code !== 200) throw new Error(`${path} was answered with ${code}`)
  }
  connection.close()
  return took.toSorted((a, b) => a - b)[PAGES >> 1] ?? NaN
}

/** Every write must reach every watch, in order. */
async function feedWatches(allot: Allot): Promise<void> {
  const { revision } = await revisionOf(allot)
  const path = `/api/v1/pods?watch=1&resourceVersion=${revision}`
  const crowd = await watchCrowd(
    allot,
    Array.from({ length: watches }, () => path),
  )
  print(`resident memory with ${watches} watches`, residentMiB(allot.pid), 'MiB')
  const started = performance.now()
  const written = await Promise.all(
    Array.from({ length: WRITES }, async (_, n) => {
      const namespace = namespaceName(FILLING, n % namespaces)
      const answer = await allot.call(`/api/v1/namespaces/${namespace}/pods`, {
        method: 'POST',
        body: podNamed(`watched-${n}`),
      })
      return Number(answer.json.metadata.resourceVersion)
    }),
  )
  await crowd.received(crowd.seen.map(() => WRITES))
  const seconds = (performance.now() - started) / 1000
  const expected = written.toSorted((a, b) => a - b).join(' ')
  const wrong = crowd.seen.filter((revisions) => revisions.join(' ') !== expected).length
  crowd.close()
  if (wrong > 0) throw new Error(`${wrong} of ${watches} watches missed events or saw them out of order`)
  print(`events per second to ${watches} watches of all pods, none lost`, (WRITES * watches) / seconds, '1/s')
}

async function revisionOf(allot: Allot): Promise<{ readonly revision: string; readonly pods: number }> {
  const { metadata, items } = (await allot.call('/api/v1/pods?limit=1')).json
  return { revision: metadata.resourceVersion, pods: items.length + (metadata.remainingItemCount ?? 0) }
}

const first = await startAllot()
const started = performance.now()
await fill(first, FILLING)
const pods = namespaces * podsEach
print(
  `pods created per second, ${pods} in ${namespaces} namespaces`,
  pods / ((performance.now() - started) / 1000),
  '1/s',
)
print(`resident memory with ${pods} pods`, residentMiB(first.pid), 'MiB')
print('first page of 500 over all namespaces, median', await firstPage(first, '/api/v1/pods'), 'ms')
print('first page in one namespace, median', await firstPage(first, '/api/v1/namespaces/scale-0/pods'), 'ms')
await feedWatches(first)
print('resident memory in the end', residentMiB(first.pid), 'MiB')
await first.stop()
const restarted = performance.now()
await using again = await startAllot({ dataDir: first.dataDir })
print(`seconds until ready on a store of ${pods} pods`, (performance.now() - restarted) / 1000, 's')
print('resident memory then', residentMiB(again.pid), 'MiB')
const { pods: kept } = await revisionOf(again)
if (kept !== pods + WRITES) throw new Error(`${kept} pods are left of ${pods + WRITES}`)
