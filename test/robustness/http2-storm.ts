import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { RawConnection } from '../fuzz/byte-connection.ts'
import type { Allot } from '../start-allot.ts'
import { FLAG, FRAME, frame, literal, PREFACE, SETTINGS, uint32 } from './frames.ts'
import { floodOf, UNKNOWN_FLOODS } from './unknown-floods.ts'

type Place = Pick<Allot, 'url' | 'ca' | 'token'>
type Random = () => number

const FLOOD_BYTES = 60_000
const MOST_STREAMS = 12
const MOST_PAUSE_MS = 15
const KINDS = Object.keys(UNKNOWN_FLOODS)

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One connection that behaves badly in one way or another, and is gone when this resolves. `big` is a path with a big answer. */
export async function misbehave(place: Place, big: string, random: Random): Promise<void> {
  const whole = (most: number): number => Math.floor(random() * (most + 1))
  const way = random()
  if (way < 0.3) return await flood(place, KINDS[whole(KINDS.length - 1)] ?? '', whole(MOST_PAUSE_MS))
  if (way < 0.6) return await askAndClose(place, big, random)
  const { hostname, port } = new URL(place.url)
  const socket = connectTls({ host: hostname, port: Number(port), ca: place.ca, ALPNProtocols: ['h2'] })
  socket.on('error', () => undefined)
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const session = connectHttp2(place.url, {
    createConnection: () => socket,
    settings: random() < 0.5 ? { initialWindowSize: whole(70_000) } : {},
  })
  session.on('error', () => undefined)
  const known = { authorization: `Bearer ${place.token}` }
  const streams: ClientHttp2Stream[] = []
  // Some show who they are with the first request, some later, and some never.
  const from = whole(3) * whole(MOST_STREAMS)
  for (let n = whole(MOST_STREAMS); n >= 0; n--) {
    const isKnown = streams.length >= from
    if (session.destroyed || session.closed) break
    streams.push(ask(session, isKnown ? { ':path': big, ...known } : { ':path': '/version' }, random))
    if (random() < 0.5) await sleep(whole(3))
    if (random() < 0.3) streams[whole(streams.length - 1)]?.close(8)
  }
  await sleep(whole(MOST_PAUSE_MS))
  const how = random()
  if (how < 0.3) session.close()
  else if (how < 0.5) session.goaway()
  if (how < 0.5) await Promise.race([gone, sleep(MOST_PAUSE_MS)])
  session.destroy()
  socket.destroy()
  await gone
}

function ask(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  random: Random,
): ClientHttp2Stream {
  const method = random() < 0.2 ? 'POST' : 'GET'
  const stream = session.request({ ':method': method, ...headers }, { endStream: method === 'GET' })
  stream.on('error', () => undefined)
  if (method === 'POST') stream.write('{'.repeat(Math.floor(random() * 50_000)))
  const kindOfReader = random()
  if (kindOfReader < 0.4) stream.resume()
  else if (kindOfReader < 0.6) stream.once('data', () => stream.pause())
  else if (kindOfReader < 0.8) stream.once('data', () => stream.close(8))
  return stream
}

async function flood(place: Place, kind: string, ms: number): Promise<void> {
  const connection = await RawConnection.open(place, 'h2')
  const gone = new Promise<void>((resolve) => connection.socket.once('close', () => resolve()))
  connection.write(Buffer.concat([PREFACE, SETTINGS, floodOf(kind, FLOOD_BYTES)]))
  if (ms % 2 === 0) connection.socket.pause()
  if (ms % 3 === 0) connection.socket.end()
  await sleep(ms)
  connection.socket.destroy()
  await gone
}

/** Asks for big answers, says that it will send no more, and reads them then or does not. */
async function askAndClose(place: Place, big: string, random: Random): Promise<void> {
  const connection = await RawConnection.open(place, 'h2')
  const { socket } = connection
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const get = Buffer.concat([Buffer.from([0x82, 0x87]), literal(4, big), literal(1, 'x')])
  const known = Buffer.concat([get, literal(23, `Bearer ${place.token}`)])
  const blocks = random() < 0.5 ? [known, known] : [get, known, known]
  const pause = (): Promise<void> => sleep(Math.floor(random() * MOST_PAUSE_MS))
  if (random() < 0.8) socket.pause()
  connection.write(
    Buffer.concat([
      PREFACE,
      frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])),
      frame(FRAME.windowUpdate, FLAG.none, 0, uint32(0x7f00_0000)),
      ...blocks.map((block, n) => frame(FRAME.headers, FLAG.endStream | FLAG.endHeaders, 1 + 2 * n, block)),
    ]),
  )
  await pause()
  socket.end()
  await pause()
  socket.resume()
  await Promise.race([gone, sleep(2 * MOST_PAUSE_MS)])
  socket.destroy()
  await gone
}
