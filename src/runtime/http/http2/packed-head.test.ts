import fc from 'fast-check'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstHead } from './first-head.ts'
import { authorizationIn } from './packed-head.ts'

let server: Server
beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

/** The bytes that Node's client sends for a request with these headers, until its first head has arrived whole. */
async function sent(headers: Readonly<Record<string, string | string[]>>): Promise<Buffer> {
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  session.on('error', () => undefined)
  session
    .request({ ':path': '/version', ...headers })
    .on('error', () => undefined)
    .end()
  const [socket] = await once(server, 'connection')
  let bytes = Buffer.alloc(0)
  while (firstHead(bytes) === undefined) bytes = Buffer.concat([bytes, ...(await once(socket, 'data'))])
  session.destroy()
  socket.destroy()
  return bytes
}

const letters = (text: string): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...text.split('')), minLength: 1, maxLength: 300 })
const PRINTABLE = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join('')
/** Node sends these words packed, and leaves texts that do not get shorter as they are. */
const values = fc.oneof(letters(PRINTABLE), letters('<>\\^`{|}~'), letters('aceiost012'))
const others = fc.dictionary(fc.constantFrom('x-a', 'x-b', 'cookie', 'user-agent', 'accept'), values, { maxKeys: 5 })

test('the credential of a first request is found as the client sent it, whatever stands around it', async () => {
  await fc.assert(
    fc.asyncProperty(values, others, others, async (value, before, after) => {
      const head = firstHead(await sent({ ...before, authorization: value, ...after }))
      expect(authorizationIn(head ?? Buffer.alloc(0))).toBe(value)
    }),
    { numRuns: 60 },
  )
})

test('a first request without a credential has none, whatever else it has', async () => {
  await fc.assert(
    fc.asyncProperty(others, async (headers) => {
      expect(authorizationIn(firstHead(await sent(headers)) ?? Buffer.alloc(0))).toBeUndefined()
    }),
    { numRuns: 20 },
  )
})

test('bytes of any kind are a head or none, and never an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const found = authorizationIn(Buffer.from(bytes))
      expect(found === undefined || typeof found === 'string').toBe(true)
      const head = firstHead(Buffer.concat([Buffer.alloc(24), bytes]))
      expect(head === undefined || head.length <= bytes.length).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

const frame = (type: number, flags: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  return Buffer.concat([head, payload])
}

test('a head is whole when its last piece is, without padding and priorities', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.nat(20),
      fc.boolean(),
      (bytes, at, padding, hasPriority) => {
        const block = Buffer.from(bytes)
        const cut = at % (block.length + 1)
        const first = Buffer.concat([
          Buffer.from([padding]),
          Buffer.alloc(hasPriority ? 5 : 0),
          block.subarray(0, cut),
          Buffer.alloc(padding),
        ])
        const whole = Buffer.concat([
          Buffer.alloc(24),
          frame(4, 0, Buffer.alloc(6)),
          frame(1, hasPriority ? 0x28 : 0x08, first),
          frame(9, 4, block.subarray(cut)),
        ])
        expect(firstHead(whole)).toEqual(block)
        expect(firstHead(whole.subarray(0, -1))).toBeUndefined()
      },
    ),
  )
})
