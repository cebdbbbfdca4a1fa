import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UnauthenticatedConnections } from './unauthenticated-connections.ts'

const MOST = 4
let connections: UnauthenticatedConnections

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  connections = new UnauthenticatedConnections(MOST)
})
afterEach(() => {
  connections.close()
  vi.useRealTimers()
})

function socketFrom(remoteAddress: string): Socket & { destroyed: boolean } {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    destroy: () => {
      socket.destroyed = true
      socket.emit('close')
    },
  })
  return socket as never
}

test('a connection that does nothing is ended when its time is up', () => {
  const [idle, allowed] = [socketFrom('a'), socketFrom('a')]
  connections.add(idle, 5000)
  connections.add(allowed, 5000).allow(60_000)
  vi.advanceTimersByTime(7000)
  expect([idle.destroyed, allowed.destroyed, connections.size]).toEqual([true, false, 1])
})

test('no time runs while a request is answered, and it begins anew afterwards', () => {
  const socket = socketFrom('a')
  const connection = connections.add(socket, 5000)
  connection.begin()
  vi.advanceTimersByTime(60_000)
  expect(socket.destroyed).toBe(false)
  connection.end(5000)
  vi.advanceTimersByTime(7000)
  expect(socket.destroyed).toBe(true)
})

test('where a credential is demanded the time runs on whatever is asked, and an answer that has begun has a little more', () => {
  const [asking, held] = [socketFrom('a'), socketFrom('a')]
  const connection = connections.add(asking, 1000)
  connection.demand(5000)
  const warnings: string[] = []
  const other = connections.add(held, 1000)
  other.demand(5000, () => warnings.push('warned'))
  other.begin()
  for (let n = 0; n < 4; n++) {
    connection.begin()
    vi.advanceTimersByTime(1000)
    connection.end(5000)
  }
  expect([asking.destroyed, warnings]).toEqual([false, []])
  vi.advanceTimersByTime(2000)
  expect([asking.destroyed, held.destroyed, warnings]).toEqual([true, false, ['warned']])
  vi.advanceTimersByTime(6000)
  expect([held.destroyed, warnings]).toEqual([true, ['warned']])
})

test('an authenticated connection is removed, and no bound holds for it any more', () => {
  const sockets = Array.from({ length: 10 * MOST }, () => socketFrom('a'))
  for (const socket of sockets) connections.add(socket, 5000).remove()
  vi.advanceTimersByTime(60_000)
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])
})

test('when there is no room the oldest of the address with most gives way', () => {
  const other = socketFrom('b')
  connections.add(other, 5000)
  const crowd = Array.from({ length: 2 * MOST }, () => socketFrom('a'))
  for (const socket of crowd) connections.add(socket, 5000)
  expect(other.destroyed).toBe(false)
  expect(crowd.map(({ destroyed }) => destroyed)).toEqual(crowd.map((_, n) => n < crowd.length - (MOST - 1)))
  expect(connections.size).toBe(MOST)
})

test('a connection that is being answered gives way last', () => {
  const sockets = Array.from({ length: MOST + 1 }, () => socketFrom('a'))
  for (const [n, socket] of sockets.entries()) {
    const connection = connections.add(socket, 5000)
    if (n === 0) connection.begin()
  }
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false, false])
})

test('the addresses of one IPv6 network count as one', () => {
  const sockets = Array.from({ length: MOST + 2 }, (_, n) => socketFrom(n === 1 ? '2001:db8::1' : `2001:db8:1:1::${n}`))
  for (const socket of sockets) connections.add(socket, 5000)
  expect(sockets[1]?.destroyed).toBe(false)
})

test('strangers crowd out strangers, and those who are recognized one another', () => {
  const own = ['a', 'a', 'a', 'b'].map(socketFrom)
  for (const socket of own) connections.add(socket, 5000).recognize()
  const strangers = ['a', 'b', 'c', 'd', 'e', 'f'].map(socketFrom)
  for (const socket of strangers) connections.add(socket, 5000)
  expect(own.some(({ destroyed }) => destroyed)).toBe(false)
  expect(strangers.filter(({ destroyed }) => !destroyed)).toHaveLength(MOST)
  connections.add(socketFrom('a'), 5000).recognize()
  expect(own.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
  vi.advanceTimersByTime(7000)
  expect(connections.size).toBe(0)
})
