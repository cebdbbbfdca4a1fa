import { constants } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { seed, SeededRandom } from '../seeded-random.ts'
import { RawConnection } from './byte-connection.ts'
import { watchedServer } from './watched-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const server = watchedServer()
const { openHttp2, askHttp2 } = server

describe('HTTP/2 that misbehaves', () => {
  test('streams that are reset at once, a thousand times', async () => {
    const session = await openHttp2()
    for (let n = 0; n < 1000; n++) {
      const stream = session.request({
        ':path': '/api/v1/namespaces',
        authorization: `Bearer ${server.observer.allot.token}`,
      })
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    session.destroy()
    expect(await server.observer.complaint()).toBeUndefined()
  })

  test('headers of a megabyte', async () => {
    const session = await openHttp2()
    const problem = await askHttp2(session, { ':path': '/version', 'x-large': 'x'.repeat(1_000_000) }).catch(
      () => undefined,
    )
    session.destroy()
    expect(problem ?? '').not.toContain('500')
  })

  test('frames of nonsense after the preface', async () => {
    const random = new SeededRandom(seed)
    for (let n = 0; n < 20; n++) {
      const connection = await RawConnection.open(server.observer.allot, 'h2')
      connection.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      connection.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))
      connection.write(Buffer.from(Array.from({ length: 300 }, () => random.between(0, 255))))
      await connection.reply(300)
    }
    expect(await server.observer.complaint()).toBeUndefined()
  })

  test('a body that never comes does not hold up other streams', async () => {
    const session = await openHttp2()
    const hanging = Array.from({ length: 100 }, () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': MAPS,
        'content-type': 'application/json',
        authorization: `Bearer ${server.observer.allot.token}`,
      })
      stream.on('error', () => undefined)
      stream.write('{')
      return stream
    })
    expect(await askHttp2(session, { ':path': '/version' })).toBeUndefined()
    for (const stream of hanging) stream.destroy()
    session.destroy()
  })
})
