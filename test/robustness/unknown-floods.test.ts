import { connect as connectHttp2 } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RawConnection } from '../fuzz/byte-connection.ts'
import { growthIn } from '../growth.ts'
import { misbehave, randomOf } from './http2-storm.ts'
import { PREFACE, SETTINGS } from './frames.ts'
import { Range } from './range.ts'
import { floodOf, UNKNOWN_FLOODS } from './unknown-floods.ts'

/** More than a connection may send of anything before its client is known. */
const BYTES = 300_000
/** Ten times the bytes may cost so much more: they are refused, but read they are first. */
const MOST_GROWTH = 4
/** A connection may ask for about 160 streams at once, an address for 330, and each connection for 16 besides. */
const MOST_OF_CONNECTION = 300
const MOST_OF_ADDRESS = 450
const MOST_BESIDES = 20
const SOAK = process.env['ALLOT_SOAK'] === '1'
/** So many connections misbehave, so many of them at a time. */
const BAD = SOAK ? 10_000 : 160
const PATIENCE_MS = SOAK ? 3_600_000 : 120_000
const AT_ONCE = 8
let range: Range

beforeAll(async () => {
  range = await Range.start()
})
afterEach(() => range.tidy())
afterAll(() => range.stop())

/** Sends a flood; resolves when the server has ended the connection. */
async function flood(kind: string, bytes: number): Promise<void> {
  const connection = await RawConnection.open(range.observer.allot, 'h2')
  const closed = new Promise((resolve) => {
    connection.socket.once('close', resolve)
  })
  connection.write(Buffer.concat([PREFACE, SETTINGS, floodOf(kind, bytes)]))
  await closed
}

/** How many requests the server has handled. */
async function handled(): Promise<number> {
  const { text } = await range.send('GET', '/metrics')
  return [...text.matchAll(/^apiserver_request_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}

/** The codes of two requests of a client that is not known, one after the other over one connection; 0 for none. */
async function twoRequests(): Promise<readonly number[]> {
  const { url, ca } = range.observer.allot
  const session = connectHttp2(url, { ca })
  session.on('error', () => undefined)
  const codes: number[] = []
  for (let n = 0; n < 2 && !session.destroyed; n++) {
    const stream = session.request({ ':path': '/version' }).resume()
    stream.on('response', (response) => codes.push(Number(response[':status'])))
    stream.on('error', () => undefined)
    await new Promise((resolve) => {
      stream.once('close', resolve)
    })
  }
  session.destroy()
  return codes
}

describe('a client that is not known and sends over HTTP/2 [security/unknown-floods]', () => {
  for (const kind of Object.keys(UNKNOWN_FLOODS))
    test(`${kind} is cut off, and costs no more when it sends ten times as much`, async () => {
      const { pid } = range.observer.allot
      const growth = await growthIn(pid, (bytes) => flood(kind, bytes), BYTES, 10, MOST_GROWTH)
      expect(growth).toBeLessThanOrEqual(MOST_GROWTH)
    })
})

test('of the streams that an unknown client resets at once a small number is handled, over one connection and over many', async () => {
  const before = await handled()
  await flood('streams that are reset', 1_000_000)
  const afterOne = await handled()
  expect(afterOne - before).toBeLessThan(MOST_OF_CONNECTION)
  const CONNECTIONS = 20
  await Promise.all(Array.from({ length: CONNECTIONS }, () => flood('streams that are reset', 86_000)))
  expect((await handled()) - afterOne).toBeLessThan(MOST_OF_ADDRESS + CONNECTIONS * MOST_BESIDES)
})

test('from an address that floods a client is still served', async () => {
  await Promise.all(Array.from({ length: 10 }, () => flood('streams that are reset', 86_000)))
  expect(await twoRequests()).toEqual([200, 200])
})

test(
  'a server outlives floods, readers that stop, resets in the midst of big answers and clients that hang up',
  { timeout: PATIENCE_MS },
  async () => {
    const { client, allot } = range.observer
    const maps = `${range.namespace}/configmaps`
    const data = { a: 'x'.repeat(200_000) }
    const names = ['big-1', 'big-2', 'big-3', 'big-4']
    for (const name of names) await client.send('POST', maps, { metadata: { name }, data })
    const seed = SOAK ? Math.floor(Math.random() * 2 ** 31) : 29
    let begun = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        const random = randomOf(seed + worker)
        while (begun++ < BAD) await misbehave(allot, maps, random)
      }),
    )
    expect(await twoRequests(), `seed ${seed}`).toEqual([200, 200])
    const { items } = await client.list(maps)
    expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names))
  },
)
