import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { RawConnection } from './byte-connection.ts'
import { answerProblem, WatchObserver } from './watch-observer.ts'

/** A server for the tests of a file, of which nothing may be wrong after any of them, and requests as raw as can be. */
export function watchedServer() {
  let observer: WatchObserver
  beforeAll(async () => {
    observer = await WatchObserver.start()
  })
  afterEach(async () => {
    const complaint = await observer.complaint()
    if (complaint !== undefined) throw new Error(complaint)
  })
  afterAll(() => observer.stop())

  const get = (path: string, more = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${observer.allot.token}\r\n${more}`

  async function ask(
    text: string | Buffer,
  ): Promise<{ readonly code: number; readonly problem: string | undefined; readonly body: string }> {
    const connection = await RawConnection.open(observer.allot)
    connection.write(text)
    const { code, body, head } = await connection.reply()
    const type = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
    return {
      code,
      body,
      problem:
        code === 0
          ? undefined
          : answerProblem({ code, text: body, headers: { 'content-type': type } }, text.toString().split(' ')[0] ?? ''),
    }
  }

  async function openHttp2(): Promise<ClientHttp2Session> {
    const session = connectHttp2(observer.allot.url, { ca: observer.allot.ca })
    session.on('error', () => undefined)
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve()).once('error', reject)
    })
    return session
  }

  /** Returns the error of the answer to one request. A stream that the server resets is a proper refusal, too. */
  async function askHttp2(
    session: ClientHttp2Session,
    headers: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    if (session.destroyed) return 'the session has ended'
    const stream = session.request({ authorization: `Bearer ${observer.allot.token}`, ...headers }, { endStream: true })
    let code = 0
    let type = ''
    let text = ''
    let reset = false
    stream.on('response', (response) => {
      code = Number(response[':status'])
      type = String(response['content-type'])
    })
    stream.on('error', () => (reset = true))
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    let late = false
    const timer = setTimeout(() => {
      late = true
      stream.destroy()
    }, 3000)
    await new Promise((resolve) => {
      stream.on('close', resolve)
    })
    clearTimeout(timer)
    if (late) return 'no answer'
    if (reset && code === 0) return undefined
    return answerProblem({ code, text, headers: { 'content-type': type } }, headers[':method'] ?? 'GET')
  }

  return {
    get observer(): WatchObserver {
      return observer
    },
    get,
    ask,
    openHttp2,
    askHttp2,
  }
}
