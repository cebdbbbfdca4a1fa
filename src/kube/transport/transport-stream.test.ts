// Covers connection and streams of a transport, over real sockets.
import '../../runtime/certificate/reflect-metadata.ts'
import { describe, expect, test } from 'vitest'
import { json, type Handler } from '../../../test/kube/tls-server.ts'
import type { Transport, TransportStream } from './transport.ts'
import { accessTo, get, transports, unreachable } from '../../../test/kube/transports.ts'

const { serve, transport } = transports()

describe('a stream', () => {
  const streamed = async (sender: Transport, more: { signal?: AbortSignal } = {}, lifeMs = 60_000) => {
    const answer = await sender.stream({ ...get, ...more }, lifeMs)
    expect(answer).toHaveProperty('chunks')
    return (answer as TransportStream).chunks
  }
  const endless: Handler = (_, response) => void response.writeHead(200).write('one\n')

  test('gives what comes as it comes', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200).write('one')
      setImmediate(() => response.end('two'))
    })
    let text = ''
    for await (const chunk of await streamed(transport(accessTo(server)))) text += Buffer.from(chunk).toString()
    expect(text).toBe('onetwo')
  })

  test('of another status is an answer', async () => {
    const server = await serve((_, response) => json(response, 410, { gone: true }))
    expect(await transport(accessTo(server)).stream(get, 60_000)).toMatchObject({ status: 410, text: '{"gone":true}' })
  })

  test('that is left closes its connection', async () => {
    const server = await serve(endless)
    for await (const _ of await streamed(transport(accessTo(server)))) break
    await expect.poll(() => server.open).toBe(0)
  })

  test('that is aborted rejects with the reason and closes its connection', async () => {
    const server = await serve(endless)
    const stop = new AbortController()
    const reading = (async () => {
      for await (const _ of await streamed(transport(accessTo(server)), { signal: stop.signal }))
        stop.abort(new Error('enough'))
    })()
    await expect(reading).rejects.toThrow('enough')
    await expect.poll(() => server.open).toBe(0)
  })

  test('that is cut is an error', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200).write('one')
      setImmediate(() => request.socket.destroy())
    })
    const reading = (async () => {
      for await (const _ of await streamed(transport(accessTo(server))));
    })()
    expect((await unreachable(reading)).code).toBe('dropped')
  })

  test('that is silent for longer than it may last is an error and closes its connection', async () => {
    const server = await serve(endless)
    const reading = (async () => {
      for await (const _ of await streamed(transport(accessTo(server)), {}, 50));
    })()
    expect((await unreachable(reading)).code).toBe('timeout')
    await expect.poll(() => server.open).toBe(0)
  })

  test('does not end with the deadline of its beginning', async () => {
    // Long enough for the beginning to arrive on a busy machine.
    const deadlineMs = 1500
    const server = await serve((_, response) => {
      response.writeHead(200).write('one')
      setTimeout(() => response.end('two'), deadlineMs + 100)
    })
    const answer = await transport(accessTo(server)).stream({ ...get, deadlineMs }, 60_000)
    let text = ''
    for await (const chunk of (answer as TransportStream).chunks) text += Buffer.from(chunk).toString()
    expect(text).toBe('onetwo')
  })
})

test('a transport that is closed cuts its streams', async () => {
  const server = await serve((_, response) => void response.writeHead(200).write('one'))
  const sender = transport(accessTo(server))
  const { chunks } = (await sender.stream(get, 60_000)) as TransportStream
  const reading = (async () => {
    for await (const _ of chunks) await sender.close()
  })()
  await unreachable(reading)
  await expect.poll(() => server.open).toBe(0)
})
