import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { firstHead } from './first-head.ts'
import { Http2Entrance } from './entrance.ts'

const KNOWN = 'Bearer known'
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const NO_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
let entrance: Http2Entrance
let server: Server
/** For each session whether it has the client's own connection. */
let isDirect: boolean[]
let sockets: Socket[]

beforeEach(async () => {
  entrance = new Http2Entrance()
  isDirect = []
  sockets = []
  const http2 = createHttp2Server((request, response) => void request.pipe(response))
  server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.push(socket)
    entrance.enter({
      socket,
      knows: (authorization) => authorization === KNOWN,
      begin: (stream) => {
        isDirect.push(stream === socket)
        http2.emit('connection', stream)
        return { end: () => stream.destroy(), guard: () => undefined }
      },
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
  entrance.close()
})

const port = (): number => (server.address() as AddressInfo).port

async function echo(session: ClientHttp2Session, headers: Readonly<Record<string, string>>): Promise<string> {
  const stream = session.request({ ':method': 'POST', ...headers })
  stream.setEncoding('utf8').end('a body')
  let text = ''
  for await (const part of stream) text += part
  return text
}

test('a client that shows a good credential with its first request has a session of its own connection, and nobody else has', async () => {
  for (const [authorization, expected] of [
    [KNOWN, true],
    ['Bearer nobody', false],
    [undefined, false],
  ] as const) {
    const session = connect(`http://127.0.0.1:${port()}`)
    const headers = authorization === undefined ? {} : { authorization }
    for (let n = 0; n < 3; n++) expect(await echo(session, headers)).toBe('a body')
    expect(isDirect.pop()).toBe(expected)
    session.destroy()
  }
})

test('a client that waits for the settings of the server before it asks gets them', async () => {
  const socket = connectSocket(port(), '127.0.0.1')
  socket.write(Buffer.concat([PREFACE, NO_SETTINGS]))
  const [bytes] = await once(socket, 'data')
  // SETTINGS
  expect(bytes[3]).toBe(4)
  socket.destroy()
})

test('in whatever pieces the first request comes, its client is served', async () => {
  const recorder = createServer().listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  const client = connect(`http://127.0.0.1:${(recorder.address() as AddressInfo).port}`)
  client.on('error', () => undefined)
  client.request({ ':path': '/', authorization: KNOWN }).on('error', () => undefined)
  const [recorded] = await once(recorder, 'connection')
  let sent = Buffer.alloc(0)
  while (firstHead(sent) === undefined) sent = Buffer.concat([sent, ...(await once(recorded, 'data'))])
  client.destroy()
  recorded.destroy()
  recorder.close()
  for (const step of [1, 7, sent.length]) {
    const socket = connectSocket({ port: port(), host: '127.0.0.1', noDelay: true })
    for (let at = 0; at < sent.length; at += step) {
      socket.write(sent.subarray(at, at + step))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [bytes] = await once(socket, 'data')
    expect(bytes[3]).toBe(4)
    socket.destroy()
  }
})

test('a client that leaves before it has asked leaves nothing behind', async () => {
  for (const sent of [Buffer.alloc(0), PREFACE, Buffer.concat([PREFACE, NO_SETTINGS])]) {
    const socket = connectSocket(port(), '127.0.0.1')
    await once(socket, 'connect')
    socket.end(sent)
    await once(socket.resume(), 'close')
  }
  expect(isDirect).toEqual([])
})
