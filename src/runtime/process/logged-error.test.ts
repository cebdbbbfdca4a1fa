import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { conflict } from '../../machinery/status.ts'
import { loggedError } from './logged-error.ts'
import { StartupError } from './startup-error.ts'

const text = (error: unknown): string => JSON.stringify(loggedError(error))
const isShown = (error: unknown): boolean => text(error).includes('"stack"')

async function thrown(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const refused = (): Error => conflict({ group: '', resource: 'pods' }, 'p', 'it has changed')

describe('an error in the log', () => {
  test('has no stack where it was expected, whatever caused it', async () => {
    const expected = [
      refused(),
      await thrown(() => readFile('/nowhere')),
      await thrown(() => new X509Certificate('none')),
      await thrown(() => AbortSignal.abort().throwIfAborted()),
      new AggregateError([refused(), refused()], 'two writes failed'),
    ]
    for (const cause of expected) {
      expect([text(cause), isShown(cause)]).toEqual([text(cause), false])
      expect(isShown(new StartupError('port-taken', 'the port is taken', { cause }))).toBe(false)
    }
    expect(loggedError(new StartupError('port-taken', 'the port is taken', { cause: refused() }))).toMatchObject({
      type: 'StartupError',
      message: 'the port is taken',
      code: 'port-taken',
      advice: expect.any(String),
      cause: { type: 'ApiError', message: expect.any(String) },
    })
  })

  test('has the name and the message of a DOMException, and none of its constants, wherever it stands', async () => {
    const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    const said = { type: 'DOMException', name: timeout.name, message: timeout.message }
    expect(loggedError(timeout)).toEqual(said)
    expect(loggedError(new StartupError('port-taken', 'no', { cause: timeout }))).toMatchObject({ cause: said })
    expect(text(new AggregateError([timeout, new Error('a bug', { cause: timeout })]))).not.toContain('_ERR')
    expect(loggedError(new Error('a bug', { cause: timeout }))).toMatchObject({
      stack: expect.any(String),
      cause: { ...said, stack: expect.any(String) },
    })
  })

  test('has a stack where it is a mistake in the program, also among others', async () => {
    const mistake = await thrown(() => JSON.parse('{'))
    for (const error of [mistake, new Error('a bug'), new TypeError('x is not a function')]) {
      expect(isShown(error)).toBe(true)
      expect(isShown(new AggregateError([refused(), error]))).toBe(true)
    }
  })
})
