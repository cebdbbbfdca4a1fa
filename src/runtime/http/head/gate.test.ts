import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { MAX_HEAD_BYTES } from './bounds.ts'
import { HeadAllowance } from './allowance.ts'
import { HeadGate } from './gate.ts'

function gated(onFeed: (bytes: Buffer) => void = () => undefined) {
  const socket = new EventEmitter() as Socket
  const fed: string[] = []
  socket.on('data', (bytes: Buffer) => {
    fed.push(bytes.toString())
    onFeed(bytes)
  })
  const allowance = new HeadAllowance(Infinity, 30_000)
  const gone: string[] = []
  const gate = new HeadGate(socket, allowance, (why) => gone.push(why))
  return { fed, gone, allowance, gate, send: (text: string) => void socket.emit('data', Buffer.from(text)), socket }
}

test('a head goes through when all of it is there, and is counted until then', () => {
  const { fed, allowance, send } = gated()
  send('GET / HTTP/1.1\r\nHost')
  send(': a\r\n\r')
  expect([fed, allowance.total > 0]).toEqual([[], true])
  send('\nbody')
  expect([fed, allowance.total]).toEqual([['GET / HTTP/1.1\r\nHost: a\r\n\r\nbody'], 0])
})

test('the bytes of a request body go through at once', () => {
  const { fed, gate, send } = gated()
  send('POST / HTTP/1.1\r\n\r\n')
  const request = { complete: false }
  gate.passed(request as never)
  for (const piece of ['a', 'b']) send(piece)
  request.complete = true
  for (const piece of ['GET /', ' HTTP/1.1\r\n\r\n']) send(piece)
  expect(fed.slice(1)).toEqual(['a', 'b', 'GET / HTTP/1.1\r\n\r\n'])
})

describe('the end of a head is found', () => {
  test('in whatever pieces it comes', () => {
    const pieces = fc.array(fc.constantFrom('\r', '\n', '\r\n', 'a', 'a: b\r\n'), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (texts) => {
        const { fed, send } = gated()
        send('GET /')
        for (const text of [...texts, 'a: b\r', '\n', '\r', '\n']) send(text)
        expect(fed.join('')).toBe(['GET /', ...texts, 'a: b\r\n\r\n'].join(''))
      }),
    )
  })

  test('also when it began behind the request before', () => {
    const { fed, send } = gated()
    send('GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r')
    send('\n')
    expect(fed).toHaveLength(2)
  })
})

test('a head beyond the bound is given up, and nothing goes through any more', () => {
  const { fed, gone, allowance, send } = gated()
  for (let size = 0; size <= MAX_HEAD_BYTES; size += 16_384) send('A'.repeat(16_384))
  send('\r\n\r\n')
  expect([fed, gone, allowance.total]).toEqual([[], ['long'], 0])
})

test('bytes that cannot be a request go through at once, for the parser to reject', () => {
  for (const pieces of [['\x16\x03\x01'], ['get'], ['GE', 'T\t']]) {
    const { fed, send } = gated()
    for (const piece of pieces) send(piece)
    expect(fed).toEqual([pieces.join('')])
  }
})

test('a connection that is closed holds nothing', () => {
  const { allowance, send, socket } = gated()
  send('GET /')
  socket.emit('close')
  expect(allowance.total).toBe(0)
})

test('a head that comes byte by byte costs work and memory in proportion to its size', () => {
  const byteByByte = (size: number): void => {
    const { allowance, send, fed } = gated()
    for (let n = 0; n < size; n++) send(n < 4 ? 'GET '.charAt(n) : 'a')
    expect(allowance.total).toBeLessThan(2 * size + 8192)
    send('\r\n\r\n')
    expect(fed).toHaveLength(1)
  }
  expect(growth(byteByByte, 20_000, 8)).toBeLessThan(32)
})
