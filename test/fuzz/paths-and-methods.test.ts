import { describe, expect, test } from 'vitest'
import { RawConnection } from './byte-connection.ts'
import { answerProblem } from './watch-observer.ts'
import { watchedServer } from './watched-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const server = watchedServer()
const { openHttp2, askHttp2 } = server

describe('paths and methods that do not exist are answered properly', () => {
  const paths = [
    '/constructor',
    '/__proto__',
    '/toString',
    '/hasOwnProperty',
    '/valueOf',
    '/api/constructor',
    '/apis/constructor',
    '/apis/__proto__/v1',
    '/api/v1/constructor',
    '/api/v1/__proto__/x',
    '/apis/apps/v1/toString',
    '/api/v1/namespaces/__proto__/pods/constructor',
    '/api/v1/namespaces/default/pods/__proto__/__proto__',
    '/api/v1/namespaces/default/pods/x/constructor',
    '/openapi/v3/constructor',
    '/openapi/v3/__proto__',
    '/openapi/v3/apis/constructor/v1',
    '/openapi/__proto__',
    '/readyz/constructor',
    '/readyz/__proto__',
    '/livez/toString',
    '/version/constructor',
    '/metrics/__proto__',
    '/',
    '//',
    '///api',
    '/api/',
    '/api//v1',
    '/api/v1/',
    '/apis',
    '/apis/',
    '/apis/apps',
    '/apis/apps/',
    '/apis/apps/v1/',
    '/apis/apps/v9',
    '/apis/apps/v9/pods',
    '/api/v2',
    '/api/v2/pods',
    '/nowhere',
    '/nowhere/else',
    '/api/v1/nothings',
    '/api/v1/namespaces/default/nothings',
    '/api/v1/namespaces/default/nothings/x',
    '/api/v1/namespaces/default/nodes',
    '/api/v1/namespaces/default/nodes/x',
    '/api/v1/pods/x',
    '/api/v1/namespaces/default/pods/x/nothing',
    '/api/v1/namespaces/default/pods/x/log',
    '/api/v1/namespaces/default/pods/x/exec',
    '/api/v1/namespaces/default/pods/x/status/more/and/more',
    '/api/v1/namespaces/default/status',
    '/api/v1/namespaces/default/finalize',
    '/api/v1/%',
    '/api/v1/%zz',
    '/api/v1/namespaces/%',
    '/api/v1/namespaces/%ff%fe',
    '/api/v1/namespaces/%00/pods',
    '/api/v1/namespaces/default/pods/%2e%2e',
    '/api/v1/namespaces/default/pods/..%2f..%2fetc%2fpasswd',
    '/api/v1/namespaces/..%2f..',
    '/../../etc/passwd',
    '/..',
    '/api/v1/../../..',
    '/api/v1/namespaces/../pods',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/namespaces/default/configmaps/a%2fb',
    '/api/v1/namespaces/default/configmaps/%20',
    '/api/v1/namespaces/default/configmaps/%F0%9F%92%A9',
    '/api/v1/watch/pods',
    '/api/v1/watch/namespaces/default/pods',
    '/api/v1/watch/namespaces/default/pods/x',
    '/api/v1/watch',
    '/api/v1/watch/constructor',
    '/swagger.json',
    '/logs',
    '/debug/pprof',
    '/ui',
    '/?',
    '/??',
    '/?watch',
    '*',
    'http://elsewhere/api',
  ]
  const methods = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'SEARCH',
    'M-SEARCH',
    'LOCK',
  ]

  test('over HTTP/1.1', { timeout: 60_000 }, async () => {
    const wrong: string[] = []
    for (const path of paths) {
      for (const method of path.includes('watch') ? ['GET'] : methods) {
        const connection = await RawConnection.open(server.observer.allot)
        connection.write(
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\nAuthorization: Bearer ${server.observer.allot.token}\r\n\r\n{}`,
        )
        // A watch does not end by itself.
        const { code, body, head } = await connection.reply(/watch/.test(path) ? 300 : 5000)
        const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
        const problem =
          code === 0 ? 'no answer' : answerProblem({ code, text: body, headers: { 'content-type': type } }, method)
        if (problem !== undefined) wrong.push(`${method} ${path}: ${problem}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test('over HTTP/2, where any text is a method and a path', async () => {
    const session = await openHttp2()
    const wrong: string[] = []
    for (const path of [...paths, 'constructor', 'x', ' ', '\\', '/\u0080', MAPS]) {
      for (const method of ['GET', 'POST', 'DELETE', 'constructor', '__proto__', 'toString', 'BREW', 'get', '-']) {
        if (path.includes('watch') || (path === MAPS && method === 'DELETE')) continue
        const problem = await askHttp2(session, { ':method': method, ':path': path })
        if (problem !== undefined) wrong.push(`${method} ${path}: ${problem}`)
      }
    }
    session.destroy()
    expect(wrong).toEqual([])
  })
})
