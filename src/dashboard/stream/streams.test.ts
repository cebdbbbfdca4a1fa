import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import { createLogger } from '../../runtime/process/logger.ts'
import type { ServedKinds } from '../../reading/served-kinds.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { Streams } from './streams.ts'

/** A stream of a page, which its viewer may have to give up. */
function served({ kinds = Promise.resolve() }: { readonly kinds?: Promise<void> } = {}) {
  const clock = new ManualClock()
  const state = { written: '', isEnded: false, isCounted: false }
  let giveUp: () => void = () => undefined
  const viewer = {
    key: 'k',
    beginStream: (end: () => void): Disposable => {
      giveUp = end
      state.isCounted = true
      return { [Symbol.dispose]: () => void (state.isCounted = false) }
    },
    kinds: async () => {
      await kinds
      return { of: () => undefined } as unknown as ServedKinds
    },
  } as unknown as Viewer
  const exchange = {
    isAwaited: true,
    closed: new AbortController().signal,
    stream: () => ({
      write: (text: string) => {
        state.written += text
        return true
      },
      end: () => void (state.isEnded = true),
    }),
  } as unknown as Exchange
  const logger = createLogger('error', { write: () => undefined })
  const serving = new Streams({ context: clock, logger }).serve(exchange, viewer, 'shop')
  return { clock, state, serving, giveUp: () => giveUp() }
}

test('a stream that has to make room ends, and does not say that its token is unknown [security/dashboard]', async () => {
  const { clock, state, serving, giveUp } = served()
  await clock.advance(0)
  expect(state).toMatchObject({ isEnded: false, isCounted: true })
  giveUp()
  await serving
  expect(state).toMatchObject({ isEnded: true, isCounted: false })
  expect(state.written).not.toContain('event: end')
  expect(clock.sleepers).toBe(0)
})

test('a stream that has to make room before it has begun is refused as others are', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { state, serving, giveUp } = served({ kinds: promise })
  giveUp()
  resolve()
  await expect(serving).rejects.toMatchObject({ status: { code: 503 } })
  expect(state).toMatchObject({ written: '', isCounted: false })
})
