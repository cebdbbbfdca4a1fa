import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../../machinery/status.ts'
import { BodyAllowance } from './allowance.ts'
import { BodyReader } from './reader.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const OWNER = { name: 'jane', isKnown: true }
const MINUTE_MS = 60_000
/** More than what passes between two looks at the clock. */
const LOOK_MS = 1001

/** A body that comes when the test says so. */
class Arriving {
  readonly #request = new IncomingMessage(new Socket())
  /** The text that was read, or the code of the refusal. */
  result: string | number | undefined

  constructor(reader: BodyReader) {
    void reader.read(this.#request, { maxBytes: 1000, owner: OWNER, tooLarge: () => new Error('too large') }).then(
      (body) => (this.result = body.toString()),
      (error: unknown) => (this.result = error instanceof ApiError ? error.status.code : String(error)),
    )
  }

  async send(text: string): Promise<void> {
    this.#request.push(text)
    await settled()
  }

  async end(): Promise<void> {
    this.#request.push(null)
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settled()
}

describe('a body', () => {
  test('may take a minute to arrive, and is refused with 408 then, however much of it is there', async () => {
    const body = new Arriving(new BodyReader())
    await body.send('a')
    await pass(MINUTE_MS - 1)
    await body.send('b')
    expect(body.result).toBeUndefined()
    await pass(LOOK_MS)
    expect(body.result).toBe(408)
  })

  test('that arrives in the last moment is read whole', async () => {
    const body = new Arriving(new BodyReader())
    await pass(MINUTE_MS - 1)
    await body.send('late, ')
    await body.send('but there')
    await body.end()
    await pass(LOOK_MS)
    expect(body.result).toBe('late, but there')
  })

  test('has the time that its server gives it', async () => {
    const body = new Arriving(new BodyReader(5000))
    await pass(4999)
    expect(body.result).toBeUndefined()
    await pass(LOOK_MS)
    expect(body.result).toBe(408)
  })

  test('has its time from when it was asked for, whatever others were asked for before', async () => {
    const reader = new BodyReader()
    const first = new Arriving(reader)
    await pass(MINUTE_MS / 2)
    const second = new Arriving(reader)
    const third = new Arriving(reader)
    await pass(MINUTE_MS / 2 + LOOK_MS)
    expect([first.result, second.result, third.result]).toEqual([408, undefined, undefined])
    await second.end()
    await pass(MINUTE_MS / 2)
    expect([second.result, third.result]).toEqual(['', 408])
  })
})

test('while no body is waited for, no timer runs', async () => {
  const reader = new BodyReader()
  expect(vi.getTimerCount()).toBe(0)
  const bodies = [new Arriving(reader), new Arriving(reader)]
  expect(vi.getTimerCount()).toBe(1)
  for (const body of bodies) await body.end()
  await pass(LOOK_MS)
  expect(vi.getTimerCount()).toBe(0)
  const next = new Arriving(reader)
  expect(vi.getTimerCount()).toBe(1)
  await next.end()
})

test('a body that comes byte by byte takes as much memory as its bytes, and not as its pieces', async () => {
  const BYTES = 200_000
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const memory = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const request = new IncomingMessage(new Socket())
  const allowance = new BodyAllowance()
  const read = new BodyReader(MINUTE_MS, allowance).read(request, {
    maxBytes: BYTES,
    owner: OWNER,
    tooLarge: () => new Error('too large'),
  })
  request.push('x')
  await settled()
  const before = memory()
  for (let n = 2; n < BYTES; n++) {
    request.push(Buffer.allocUnsafeSlow(1).fill('x'))
    if (n % 1000 === 0) await settled()
  }
  await settled()
  expect(memory() - before).toBeLessThan(10 * BYTES)
  expect(allowance.total).toBeGreaterThanOrEqual(BYTES)
  expect(allowance.total).toBeLessThan(3 * BYTES)
  request.push('y')
  request.push(null)
  expect((await read).toString()).toBe(`${'x'.repeat(BYTES - 1)}y`)
  expect(allowance.total).toBe(0)
})

test('when unfinished bodies hold too much, the oldest is refused with 503 and the others are read', async () => {
  const reader = new BodyReader(MINUTE_MS, new BodyAllowance({ all: 3 * 4096, user: 3 * 4096, unknown: 4096 }))
  const bodies = Array.from({ length: 4 }, () => new Arriving(reader))
  await bodies[3]!.send('last')
  await bodies[3]!.end()
  expect(bodies.map(({ result }) => result)).toEqual([503, undefined, undefined, 'last'])
  for (const body of bodies.slice(1, 3)) await body.end()
})
