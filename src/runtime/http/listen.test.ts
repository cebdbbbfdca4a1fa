import { expect, test } from 'vitest'
import { listen } from './listen.ts'

const options = { host: '127.0.0.1', maxBodyBytes: 1000, handle: () => Promise.resolve() }
const flags = { host: '--host', port: '--port' }

test('a usual port is taken if it is free, and another one if not', async () => {
  const first = await listen({ ...options, port: 0 }, flags)
  const usualPort = first.port
  const beside = await listen({ ...options, port: 0 }, { ...flags, usualPort })
  expect(beside.port).not.toBe(usualPort)
  await first.drain(0)
  const again = await listen({ ...options, port: 0 }, { ...flags, usualPort })
  expect(again.port).toBe(usualPort)
  await Promise.all([beside.drain(0), again.drain(0)])
})

test('a port that was asked for is taken, and no usual one', async () => {
  const free = await listen({ ...options, port: 0 }, flags)
  const { port } = free
  await free.drain(0)
  const asked = await listen({ ...options, port }, { ...flags, usualPort: 1 })
  expect(asked.port).toBe(port)
  await asked.drain(0)
})
