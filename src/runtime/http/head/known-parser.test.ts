// Covers http-parser.ts, with and without the parts that allot knows.
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../certificate/certificates.ts'
import { createLogger } from '../../process/logger.ts'
import { missingParserParts, warnOfUnknownParser, watchParser } from './http-parser.ts'

const { createServer } = process.getBuiltinModule('node:http')
const { createServer: createHttpsServer } = process.getBuiltinModule('node:https')

/** The class of Node's parser, without the constants of some callbacks until the end of `work`. */
function withoutCallback<T>(name: string, work: () => T): T {
  const socket = process.getBuiltinModule('node:net').Socket
  const server = createServer()
  const one = new socket()
  server.emit('connection', one)
  const { constructor: parserClass } = (one as unknown as { parser: { constructor: Record<string, unknown> } }).parser
  one.destroy()
  const value = parserClass[name]
  delete parserClass[name]
  try {
    return work()
  } finally {
    parserClass[name] = value
  }
}

function warnings(): readonly string[] {
  const lines: string[] = []
  warnOfUnknownParser(createLogger('warn', { write: (line) => void lines.push(line) }))
  return lines
}

test('this version of Node has every part of the parser that allot uses', () => {
  expect(missingParserParts()).toEqual([])
  expect(warnings()).toEqual([])
})

test.each(['TCP', 'TLS'])('the parser of a connection over %s can be watched', async (protocol) => {
  const now = Date.now()
  const { key, certificate } = await makeServerCertificate(await makeAuthority(now), ['127.0.0.1'], now)
  const server: Server = protocol === 'TLS' ? createHttpsServer({ key, cert: certificate }) : createServer()
  const event = protocol === 'TLS' ? 'secureConnection' : 'connection'
  const seen: string[] = []
  const watched = new Promise<boolean>((resolve) =>
    server.on(event, (socket: Socket) =>
      resolve(watchParser(socket, { begins: () => seen.push('begins'), parsed: () => seen.push('parsed') })),
    ),
  )
  server.on('request', (_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client =
    protocol === 'TLS'
      ? connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      : connectPlain(port, '127.0.0.1')
  try {
    expect(await watched).toBe(true)
    client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await once(client.resume(), 'close')
    expect(seen.slice(0, 2)).toEqual(['begins', 'parsed'])
  } finally {
    client.destroy()
    server.close()
  }
})

test.each(['kOnMessageBegin', 'kOnExecute'])(
  'a start without the callback %s of the parser is warned about',
  (name) => {
    const [line = '', ...others] = withoutCallback(name, warnings)
    expect(others).toEqual([])
    expect(JSON.parse(line)).toMatchObject({ missing: [name], node: process.version })
  },
)
