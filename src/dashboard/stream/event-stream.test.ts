import { expect, test } from 'vitest'
import { EventStream } from './event-stream.ts'

/** A stream whose clock goes on by hand. */
function opened({ reads = true } = {}) {
  const written: string[] = []
  const sleeping: { readonly ms: number; readonly wake: () => void }[] = []
  const leaving = new AbortController()
  const state = { reads, isEnded: false }
  const page = new EventStream(
    {
      write: (text) => {
        written.push(String(text))
        return state.reads
      },
      drained: () => undefined,
      end: () => void (state.isEnded = true),
      cut: () => undefined,
    },
    leaving.signal,
    {
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          sleeping.push({ ms, wake: resolve })
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        }),
    },
  )
  const pass = async (ms: number): Promise<void> => {
    for (const one of sleeping.splice(0))
      if (one.ms === ms) one.wake()
      else sleeping.push(one)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { page, written, sleeping, leave: () => leaving.abort(), state, pass }
}

test('changes of a moment go out together, and say kinds and namespaces once', async () => {
  const { page, written, pass } = opened()
  void page.beat()
  page.stateOf('resourcequotas', 'watched')
  for (let at = 0; at < 50; at++) page.changed('resourcequotas', at % 2 === 0 ? 'a' : 'b')
  page.changed('events', '')
  expect(written).toEqual([': heartbeat\n\n'])
  await pass(250)
  expect(written.slice(1)).toEqual([
    'event: watching\ndata: {"kinds":[{"resource":"resourcequotas","state":"watched"}]}\n\n',
    'event: change\ndata: {"changes":[{"resource":"resourcequotas","namespaces":["a","b"]},{"resource":"events"}]}\n\n',
  ])
  await pass(15_000)
  expect(written.at(-1)).toBe(': heartbeat\n\n')
})

test('changes in many namespaces take no more room than a bound [security/dashboard]', async () => {
  const { page, written, pass } = opened()
  for (let at = 0; at < 100_000; at++) page.changed('resourcequotas', `namespace-${at}`)
  await pass(250)
  expect(written).toEqual(['event: change\ndata: {"changes":[{"resource":"resourcequotas"}]}\n\n'])
})

test.each([
  ['leaves', ({ leave }: ReturnType<typeof opened>) => leave()],
  ['is not known any more', ({ page }: ReturnType<typeof opened>) => page.ended()],
  [
    'does not read',
    ({ page, state }: ReturnType<typeof opened>) => {
      state.reads = false
      page.changed('events', 'a')
    },
  ],
])('a stream ends with a page that %s, and nothing is kept for it [security/dashboard]', async (_, act) => {
  const stream = opened()
  const beating = stream.page.beat()
  act(stream)
  await stream.pass(250)
  await beating
  expect(stream.state.isEnded).toBe(true)
  const { length } = stream.written
  stream.page.changed('events', 'a')
  stream.page.ended()
  await stream.pass(250)
  expect(stream.written).toHaveLength(length)
})
