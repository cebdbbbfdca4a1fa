import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilSettled } from '../arena.ts'
import { soak } from '../seeded-random.ts'
import { Crowd, mostConnections, Watches } from './crowd.ts'
import { Range } from './range.ts'

const WANTED = soak ? 10_000 : 1_000
/** Of them, so many get no further than the connection. */
const UNSHAKEN = WANTED / 20
const WATCHES = soak ? 5_000 : 200
const PATIENCE_MS = 60_000
/** The allowed cost of a connection to the server: a few buffers of TLS. */
const MOST_KIB = 256
let range: Range

// A server of its own, since the system does not get back all the memory that it once had.
beforeAll(async () => {
  range = await Range.start()
})
afterAll(() => range.stop())

const openFiles = (): number => readdirSync(`/proc/${range.observer.allot.pid}/fd`).length
const small = () => range.send('POST', `${range.namespace}/configmaps`, { metadata: { generateName: 'small-' } })

test(
  `${WANTED} idle connections cost little memory each, hold up nobody, and are let go`,
  { timeout: 900_000 },
  async () => {
    const { allot } = range.observer
    const count = mostConnections(WANTED)
    const files = openFiles()
    const memory = range.observer.memoryMb()
    const crowd = await Crowd.tls(allot, count - UNSHAKEN)
    const unshaken = await Crowd.tcp(allot, UNSHAKEN)
    await untilSettled(async () => (openFiles() >= count ? undefined : `${openFiles()} open files`), PATIENCE_MS)
    const each = ((range.observer.memoryMb() - memory) * 1024) / count
    console.log(`${count} idle connections: ${each.toFixed(0)} KiB each`)
    expect(each).toBeLessThan(MOST_KIB)
    for (let n = 0; n < 20; n++) expect((await range.bounded(small, small)).code).toBe(201)
    expect(crowd.size + unshaken.size).toBe(count)
    crowd.leave()
    unshaken.leave()
    const settled = (): string | undefined =>
      openFiles() < files + 100 ? undefined : `${openFiles()} open files, ${files} before`
    await untilSettled(async () => settled(), PATIENCE_MS)
    const full = range.observer.memoryMb()
    const again = await Crowd.tls(allot, Math.floor(count / 5))
    expect(((range.observer.memoryMb() - full) * 1024) / (count / 5)).toBeLessThan(MOST_KIB / 4)
    again.leave()
  },
)

test(`${WATCHES} watches of a client stay open, and each gets what is written`, { timeout: 900_000 }, async () => {
  const path = `${range.namespace}/configmaps`
  const { metadata } = JSON.parse((await range.send('GET', path)).text) as { metadata: { resourceVersion: string } }
  const query = `?watch=true&resourceVersion=${metadata.resourceVersion}`
  const watches = await Watches.open(range.observer.allot, `${path}${query}`, WATCHES)
  for (const name of ['first', 'second']) {
    expect((await range.send('POST', path, { metadata: { name: `seen-${name}` } })).code).toBe(201)
    const seen = (): string | undefined =>
      watches.seen(`"seen-${name}"`) === WATCHES ? undefined : `${watches.seen(`"seen-${name}"`)} watches sent it`
    await untilSettled(async () => seen(), PATIENCE_MS)
    expect((await range.bounded(small, small)).code).toBe(201)
  }
  expect(watches.size).toBe(WATCHES)
  watches.leave()
})
