import { FLAG, FRAME, frame, GET, kept, KEPT, literal, uint32 } from './frames.ts'

/** Frames that a client that is not known can send over HTTP/2 with little work of its own. */
interface Flood {
  /** Sent once, behind the preface and the settings. */
  readonly begin?: Buffer
  /** The frames of one step; steps of one connection count from 0. */
  readonly step: (index: number) => Buffer
}

const END = FLAG.endStream | FLAG.endHeaders
const CANCEL = uint32(8)
/** Steps open streams from here on; the ones below are opened by `begin`. */
const streamOf = (index: number): number => 3 + 2 * index
const headers = (stream: number, block: Buffer = GET, flags: number = END): Buffer =>
  frame(FRAME.headers, flags, stream, block)
const reset = (stream: number): Buffer => frame(FRAME.reset, FLAG.none, stream, CANCEL)
/** A stream that stays open, as its body never ends. */
const POSTED = headers(1, GET, FLAG.endHeaders)

const field = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x00, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
/** An entry for the table of headers, which throws out others. */
const entry = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0x40, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
const times = (count: number, piece: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => piece(index)))

const ENTRIES = Buffer.concat([GET, times(300, (n) => entry(`t${n}`, 'v'.repeat(20)))])
const FIELDS = Buffer.concat([GET, times(900, (n) => field(`f${n}`, 'v'))])
/** The beginning of a token as ServiceAccounts have them, and a signature of nobody. */
const TOKEN = ['{"alg":"ES256","kid":"x"}', '{"iss":"https://kubernetes.default.svc.cluster.local"}', 's'.repeat(64)]
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')
const BEARER = Buffer.concat([GET, literal(23, `Bearer ${TOKEN}`)])

/** Each by the name of what it consists of. */
export const UNKNOWN_FLOODS: Readonly<Record<string, Flood>> = {
  'streams that are reset': { step: (n) => Buffer.concat([headers(streamOf(n)), reset(streamOf(n))]) },
  'streams that are not reset': { step: (n) => headers(streamOf(n)) },
  'streams with a token of nobody': { step: (n) => headers(streamOf(n), BEARER) },
  'streams with a thousand fields': {
    step: (n) => Buffer.concat([headers(streamOf(n), FIELDS), reset(streamOf(n))]),
  },
  'streams with a field of 4,000 bytes, 60 times in one byte each': {
    begin: headers(1, Buffer.concat([GET, kept('x-bomb', 'x'.repeat(4000))])),
    step: (n) =>
      Buffer.concat([headers(streamOf(n), Buffer.concat([GET, Buffer.alloc(60, KEPT)])), reset(streamOf(n))]),
  },
  'streams that change the table of headers': {
    step: (n) => Buffer.concat([headers(streamOf(n), ENTRIES), reset(streamOf(n))]),
  },
  'streams whose headers come in pieces': {
    step: (n) =>
      Buffer.concat([
        headers(streamOf(n), GET.subarray(0, 1), FLAG.endStream),
        times(6, (index) => frame(FRAME.continuation, FLAG.none, streamOf(n), GET.subarray(1 + index, 2 + index))),
        frame(FRAME.continuation, FLAG.endHeaders, streamOf(n), GET.subarray(7)),
        reset(streamOf(n)),
      ]),
  },
  'streams beyond the fields that one may have': {
    begin: headers(1, Buffer.concat([GET, kept('x-bomb', 'x'.repeat(4000))])),
    step: (n) => headers(streamOf(n), Buffer.concat([GET, Buffer.alloc(15_000, KEPT)])),
  },
  'streams beyond those that may be open': {
    // A window of nothing holds back the answers, so that the streams stay.
    begin: Buffer.concat([
      frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 4, 0, 0, 0, 0])),
      times(16, (n) => headers(1_000_001 + 2 * n)),
    ]),
    step: (n) => headers(1_000_101 + 2 * n, Buffer.concat([GET, Buffer.alloc(1000, 0x82)])),
  },
  'headers that are malformed': {
    step: (n) => headers(streamOf(n), Buffer.concat([GET, field('Upper', 'x')])),
  },
  settings: { step: () => frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 1, 0, 0, 16, 0])) },
  pings: { step: () => frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8)) },
  'priorities of no stream': {
    step: (n) => frame(FRAME.priority, FLAG.none, streamOf(n), Buffer.from([0, 0, 0, 0, 1])),
  },
  'priorities of a stream': {
    begin: POSTED,
    step: () => frame(FRAME.priority, FLAG.none, 1, Buffer.from([0, 0, 0, 0, 1])),
  },
  'windows of the connection': { step: () => frame(FRAME.windowUpdate, FLAG.none, 0, uint32(1)) },
  'windows of a stream': { begin: POSTED, step: () => frame(FRAME.windowUpdate, FLAG.none, 1, uint32(1)) },
  'pieces of nothing': { begin: POSTED, step: () => frame(FRAME.data, FLAG.none, 1) },
  'pieces of one byte': { begin: POSTED, step: () => frame(FRAME.data, FLAG.none, 1, Buffer.from('x')) },
  'pieces for a stream that is over': {
    begin: Buffer.concat([POSTED, reset(1)]),
    step: () => frame(FRAME.data, FLAG.none, 1),
  },
  'resets of a stream that is over': { begin: Buffer.concat([POSTED, reset(1)]), step: () => reset(1) },
  'frames of a kind that nobody knows': { step: () => frame(0xfa, FLAG.none, 0) },
}

/** The bytes of one connection behind the settings: so many bytes of this flood. */
export function floodOf(kind: string, bytes: number): Buffer {
  const flood = UNKNOWN_FLOODS[kind]
  if (flood === undefined) throw new TypeError(`there is no flood of ${kind}`)
  const pieces = [flood.begin ?? Buffer.alloc(0)]
  for (let step = 0, total = 0; total < bytes; step++) {
    const piece = flood.step(step)
    pieces.push(piece)
    total += piece.length
  }
  return Buffer.concat(pieces)
}
