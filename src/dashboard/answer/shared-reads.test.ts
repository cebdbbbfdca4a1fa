import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import { SharedReads } from './shared-reads.ts'

const account = (question: string): string => question.split('-')[1] ?? question

/** Reads that each take 100 milliseconds and give their number. */
function world() {
  const clock = new ManualClock()
  const shared = new SharedReads<number>(clock)
  const state = { reads: 0, aborted: 0 }
  const ask = (question = 'q', signal = NEVER_ABORTED): Promise<number> =>
    shared.of({ account: account(question), question }, signal, async (over) => {
      const number = ++state.reads
      over.addEventListener('abort', () => state.aborted++)
      await clock.sleep(100, over)
      return number
    })
  return { clock, shared, state, ask }
}

test('a first request is answered at once, and those that come meanwhile share the next answer', async () => {
  const { clock, state, ask } = world()
  const first = ask()
  await clock.advance(50)
  const later = Array.from({ length: 10 }, () => ask())
  await clock.advance(50)
  expect([await first, state.reads]).toEqual([1, 1])
  await clock.advance(3_000)
  const last = ask()
  await clock.advance(100)
  expect([await Promise.all(later), state.reads]).toEqual([Array(10).fill(2), 2])
  await clock.advance(3_200)
  expect(await last).toBe(3)
})

test('questions whose reads take long come again the later, the more of them there are', async () => {
  const { clock, state, ask } = world()
  const all = Array.from({ length: 30 }, (_, at) => `q${at}`)
  for (const question of all) void ask(question)
  await clock.advance(100)
  expect(state.reads).toBe(30)
  for (const question of all) void ask(question)
  // Those that ended before the others had taken long come first.
  await clock.advance(8_900)
  expect(state.reads).toBeLessThan(33)
  await clock.advance(100)
  expect(state.reads).toBe(60)
})

test('other questions do not wait, and nothing is kept of what nobody asks any more', async () => {
  const { clock, shared, ask } = world()
  const answers = ['a', 'b', 'c'].map((question) => ask(question))
  await clock.advance(100)
  expect(await Promise.all(answers)).toEqual([1, 2, 3])
  expect(shared.size).toBe(3)
  await clock.advance(9_000)
  expect([shared.size, clock.sleepers]).toEqual([0, 0])
})

test('a read goes on as long as one waits for it, and ends with the last [security/dashboard]', async () => {
  const { clock, shared, state, ask } = world()
  const [one, two] = [new AbortController(), new AbortController()]
  const reason = new Error('left')
  const [a, b] = [ask('q', one.signal), ask('q', two.signal)]
  one.abort(reason)
  await expect(a).rejects.toThrow('left')
  await clock.advance(10)
  expect(state).toEqual({ reads: 1, aborted: 0 })
  two.abort(reason)
  await expect(b).rejects.toThrow('left')
  expect(state.aborted).toBe(1)
  // Who comes then waits for a read of its own.
  const next = ask()
  await clock.advance(1_000)
  expect([await next, state.reads]).toEqual([2, 2])
  // A read that has not begun never does when all have left.
  const three = new AbortController()
  const left = ask('q', three.signal)
  three.abort(reason)
  await expect(left).rejects.toThrow('left')
  await clock.advance(10_000)
  expect([state.reads, shared.size]).toEqual([2, 0])
})

test('a failure is that of all who share it, and of nobody later', async () => {
  const clock = new ManualClock()
  const shared = new SharedReads<number>(clock)
  const fail = () => shared.of({ account: 'a', question: 'q' }, NEVER_ABORTED, () => Promise.reject(new Error('no')))
  const failed = await Promise.allSettled([fail(), fail()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await clock.advance(0)
  expect(await shared.of({ account: 'a', question: 'q' }, NEVER_ABORTED, async () => 7)).toBe(7)
})

test('whoever asks the same in other words waits for the reads of the same account, and others do not [security/dashboard]', async () => {
  const { clock, state, ask } = world()
  for (let spelling = 0; spelling < 20; spelling++) void ask(`${spelling}-greedy`)
  await clock.advance(100)
  expect(state.reads).toBe(6)
  const other = ask('q-modest')
  await clock.advance(100)
  expect([await other, state.reads]).toEqual([7, 7])
  // The rests of long reads count, too.
  await clock.advance(2_000)
  expect(state.reads).toBe(7)
  await clock.advance(60_000)
  expect(state.reads).toBe(21)
})
