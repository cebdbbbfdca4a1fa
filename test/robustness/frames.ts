/** Frames of HTTP/2 as bytes, right ones and wrong ones. */

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const

export const FLAG = { none: 0, endStream: 1, endHeaders: 4 } as const

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export const SETTINGS = frame(FRAME.settings, FLAG.none, 0)

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The header block of `GET /version`. */
export const GET = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04, 8]),
  Buffer.from('/version'),
  Buffer.from([0x01, 1, 0x78]),
])

/** A header that is kept in the connection's table of headers, where `KEPT` names it from then on. */
export const kept = (name: string, value: string): Buffer =>
  Buffer.concat([
    Buffer.from([0x40, name.length]),
    Buffer.from(name),
    Buffer.from([0x7f, ...rest(value.length - 127)]),
    Buffer.from(value),
  ])
export const KEPT = 0xbe

/** Encodes the part of a length beyond its first seven bits. */
function rest(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...rest(value >> 7)]
}

/** A header whose name stands in the table that everybody has, kept out of the connection's own. */
export const literal = (name: number, value: string): Buffer =>
  Buffer.concat([
    Buffer.from(name < 15 ? [name] : [15, name - 15]),
    Buffer.from(value.length < 127 ? [value.length] : [127, ...rest(value.length - 127)]),
    Buffer.from(value),
  ])
