import { once } from 'node:events'
import { connect } from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ShownCredential } from '../shown-credential.ts'
import { Http2Sessions } from './http2-sessions.ts'

let server: Server | undefined
let sessions: Http2Sessions | undefined
afterEach(() => {
  server?.close()
  sessions?.close()
})

test.each([true, false])(
  'a session that ends before it is given the first request, which has been read, does no harm (known: %s)',
  async (isKnown) => {
    let requests = 0
    const knows = ({ authorization }: ShownCredential): boolean => isKnown && authorization !== undefined
    const made = new Http2Sessions({ authenticates: true, knows }, 60_000, () => requests++)
    sessions = made
    server = createServer({ noDelay: true }, (socket) =>
      made.speak(socket, { await: () => undefined, begun: (session) => session.destroy() }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    client.on('error', () => undefined)
    client.request({ authorization: 'Bearer x' }).on('error', () => undefined)
    await once(client, 'close')
    expect(requests).toBe(0)
  },
)
