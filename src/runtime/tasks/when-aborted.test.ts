import { expect, test } from 'vitest'
import { unlessAborted, whenAborted } from './when-aborted.ts'

test('resolves when the signal aborts, or has', async () => {
  const abort = new AbortController()
  const waiting = whenAborted(abort.signal)
  abort.abort()
  await expect(waiting).resolves.toBeUndefined()
  await expect(whenAborted(AbortSignal.abort())).resolves.toBeUndefined()
})

test('work that is done before counts, and work that is abandoned rejects', async () => {
  expect(await unlessAborted(Promise.resolve(1), new AbortController().signal)).toBe(1)
  const never = new Promise<number>(() => undefined)
  await expect(unlessAborted(never, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})
