const PREFACE_BYTES = 24
const FRAME_HEAD_BYTES = 9
const TYPE = { headers: 1, continuation: 9 } as const
const FLAG = { endHeaders: 0x04, padded: 0x08, priority: 0x20 } as const
const PRIORITY_BYTES = 5

/** The first block of headers that a client sends over HTTP/2, still packed; undefined as long as it has not arrived whole. */
export function firstHead(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = []
  for (let at = PREFACE_BYTES; at + FRAME_HEAD_BYTES <= bytes.length;) {
    const begin = at + FRAME_HEAD_BYTES
    const end = begin + bytes.readUIntBE(at, 3)
    const type = bytes.readUInt8(at + 3)
    const flags = bytes.readUInt8(at + 4)
    at = end
    if (type !== TYPE.headers && type !== TYPE.continuation) continue
    if (end > bytes.length) return undefined
    const payload = bytes.subarray(begin, end)
    pieces.push(type === TYPE.headers ? blockOf(payload, flags) : payload)
    if ((flags & FLAG.endHeaders) !== 0) return Buffer.concat(pieces)
  }
  return undefined
}

/** The part of a HEADERS frame that is neither padding nor a priority. */
function blockOf(payload: Buffer, flags: number): Buffer {
  const padding = (flags & FLAG.padded) === 0 ? 0 : 1 + (payload[0] ?? 0)
  const from = (padding === 0 ? 0 : 1) + ((flags & FLAG.priority) === 0 ? 0 : PRIORITY_BYTES)
  const to = payload.length - Math.max(padding - 1, 0)
  return payload.subarray(Math.min(from, to), Math.max(to, 0))
}
