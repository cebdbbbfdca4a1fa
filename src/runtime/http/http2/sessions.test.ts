import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { connect, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { ShownCredential } from '../shown-credential.ts'
import { Http2Sessions } from './sessions.ts'

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

test.each(['at once', 'after a request'] as const)(
  'nothing of a session is kept when it has ended %s',
  async (when) => {
    const begun: WeakRef<ServerHttp2Session>[] = []
    const made = new Http2Sessions({ authenticates: true, knows: () => false }, 60_000, (_, response) => response.end())
    sessions = made
    server = createServer({ noDelay: true }, (socket) =>
      made.speak(socket, { await: () => undefined, begun: (session) => void begun.push(new WeakRef(session)) }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = (server.address() as AddressInfo).port
    for (let count = 0; count < 20; count++) {
      const client = connect(`http://127.0.0.1:${port}`)
      client.on('error', () => undefined)
      const request = client.request({})
      request.on('error', () => undefined).resume()
      await once(request, 'response')
      if (when === 'after a request') await once(request, 'close')
      client.destroy()
      await once(client, 'close')
    }
    expect(begun).toHaveLength(20)
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const kept = (): number => {
      collect()
      return begun.filter((session) => session.deref() !== undefined).length
    }
    // The last one may still be ending.
    await expect.poll(kept).toBeLessThan(2)
  },
)
