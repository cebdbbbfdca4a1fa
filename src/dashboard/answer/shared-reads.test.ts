import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import { SharedReads } from './shared-reads.ts'

/** Reads that each take 100 milliseconds and give their number. */
function world() {
  const clock = new ManualClock()
  /** The thread works all the time. */
  const shared = new SharedReads<number>(clock, clock.monotonic)
  const state = { reads: 0, aborted: 0, viewsMs: 0 }
  /** The account is what follows a dash. Views that do not wait are opened until they have cost as much as the state says. */
  const asked = (question: string, isOpening = false) => ({
    account: {
      name: question.split('-')[1] ?? question,
      get mayOpenView() {
        return state.viewsMs > 0
      },
      paysForView: (ms: number) => void (state.viewsMs -= ms),
    },
    question,
    isOpening,
  })
  const ask = (question = 'q', signal = NEVER_ABORTED, isOpening = false): Promise<number> =>
    shared.of(asked(question, isOpening), signal, async (over) => {
      const number = ++state.reads
      over.addEventListener('abort', () => state.aborted++)
      await clock.sleep(100, over)
      return number
    })
  const open = (question: string): Promise<number> => ask(question, NEVER_ABORTED, true)
  return { clock, shared, state, asked, ask, open }
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
  expect(state).toMatchObject({ reads: 1, aborted: 0 })
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
  const { clock, shared, asked } = world()
  const fail = () => shared.of(asked('q'), NEVER_ABORTED, () => Promise.reject(new Error('no')))
  const failed = await Promise.allSettled([fail(), fail()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await clock.advance(0)
  expect(await shared.of(asked('q'), NEVER_ABORTED, async () => 7)).toBe(7)
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

test('a view that is opened does not wait for what its account has read, until it has opened too many', async () => {
  const { clock, state, ask, open } = world()
  state.viewsMs = 300
  for (let view = 0; view < 6; view++) void ask(`${view}-tenant`)
  await clock.advance(100)
  // A question that nobody has asked before, and one that another page asks for the first time.
  const opened = [ask('new-tenant'), open('0-tenant')]
  await clock.advance(100)
  expect(await Promise.all(opened)).toEqual([7, 8])
  // A page that asks again waits, and is answered with a page that is opened.
  const repeated = ask('0-tenant')
  await clock.advance(100)
  expect(state.reads).toBe(8)
  const another = open('0-tenant')
  await clock.advance(100)
  expect([await repeated, await another]).toEqual([9, 9])
  expect(await Promise.race([open('1-tenant'), clock.advance(100)])).toBe(10)
  void open('2-tenant')
  await clock.advance(100)
  expect(state.reads).toBe(10)
})

test('a view whose page has left before its answer is opened anew', async () => {
  const { clock, state, ask } = world()
  state.viewsMs = 1
  const leaving = new AbortController()
  const left = ask('q', leaving.signal)
  await clock.advance(90)
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  const next = ask()
  await clock.advance(100)
  expect([await next, state.reads]).toEqual([2, 2])
})

test('what is opened waits for reads that are under way, and then for no rests', async () => {
  const { clock, state, open } = world()
  state.viewsMs = 1_000
  for (let view = 0; view < 20; view++) void open(`${view}-tenant`)
  await clock.advance(99)
  expect(state.reads).toBe(6)
  await clock.advance(201)
  expect(state.reads).toBe(20)
})

test('nothing is kept of questions whose askers have left before their turn [security/dashboard]', async () => {
  const { clock, shared, ask } = world()
  for (let at = 0; at < 6; at++) void ask(`${at}-greedy`)
  await clock.advance(100)
  for (let at = 0; at < 1000; at++) {
    const leaving = new AbortController()
    const left = ask(`left ${at}-greedy`, leaving.signal)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
  }
  expect(shared.size).toBe(6)
  await clock.advance(60_000)
  expect([shared.size, clock.sleepers]).toEqual([0, 0])
})

test('requests of an account that wait are bounded, and others wait as before [security/dashboard]', async () => {
  const { clock, state, ask } = world()
  for (let at = 0; at < 6; at++) void ask(`${at}-greedy`)
  await clock.advance(100)
  for (let at = 6; at < 6 + 64; at++) void ask(`${at}-greedy`)
  await expect(ask('one more-greedy')).rejects.toMatchObject({ status: { code: 429 } })
  await expect(ask('0-greedy')).rejects.toMatchObject({ status: { code: 429 } })
  void ask('q-modest')
  await clock.advance(120_000)
  expect(state.reads).toBe(71)
  void ask('one more-greedy')
  await clock.advance(100)
  expect(state.reads).toBe(72)
})

test('an account whose reads take long makes others wait twice as long at most [security/dashboard]', async () => {
  const { clock, state, ask } = world()
  for (let at = 0; at < 5; at++) void ask(`${at}-greedy`)
  void ask('q-modest')
  await clock.advance(100)
  const reads = state.reads
  void ask('q-modest')
  await clock.advance(5_900)
  expect(state.reads).toBe(reads)
  await clock.advance(100)
  expect(state.reads).toBe(reads + 1)
})

test('a read rests the longer, the longer it has worked itself, and not for what others have worked [security/dashboard]', async () => {
  const { clock, shared, state, asked } = world()
  const turn = (ms: number) => (): Promise<void> => clock.sleep(ms, NEVER_ABORTED)
  // Each waits 5 seconds for its turn, and then works for so long.
  const ask = (question: string, workMs: number): Promise<number> =>
    shared.of(asked(question), NEVER_ABORTED, async (_, work) => {
      const number = ++state.reads
      await work.step(turn(5_000))
      await turn(workMs)()
      await work.step(turn(0))
      return number
    })
  const both = [ask('long-greedy', 60_000), ask('short-modest', 100)]
  await clock.advance(65_000)
  await Promise.all(both)
  const again = { greedy: ask('long-greedy', 60_000), modest: ask('short-modest', 100) }
  await clock.advance(30_000)
  expect(await again.modest).toBe(3)
  expect(state.reads).toBe(3)
  await clock.advance(569_000)
  expect(state.reads).toBe(3)
  await clock.advance(1_000)
  expect(state.reads).toBe(4)
  await clock.advance(65_000)
  expect(await again.greedy).toBe(4)
})

test('reads that wait and do not work rest for nothing, and opened ones use up nothing', async () => {
  const clock = new ManualClock()
  const thread = { ms: 0 }
  const shared = new SharedReads<number>(clock, () => thread.ms)
  const state = { reads: 0, paidMs: 0 }
  const account = { name: 'admin', mayOpenView: true, paysForView: (ms: number) => void (state.paidMs += ms) }
  const ask = (question: string, workMs: number, isOpening: boolean): Promise<number> =>
    shared.of({ account, question, isOpening }, NEVER_ABORTED, async (over) => {
      await clock.sleep(5_000, over)
      thread.ms += workMs
      return ++state.reads
    })
  for (let pass = 0; pass < 10; pass++) {
    const views = Array.from({ length: 5 }, (_, at) => ask(`${at}`, 0.8, true))
    await clock.advance(5_000)
    await Promise.all(views)
  }
  expect(state).toEqual({ reads: 50, paidMs: 0 })
  await clock.advance(200)
  expect(shared.size).toBe(0)
  // A dear one costs its own work, as often as it leaves out a rest.
  for (let pass = 0; pass < 3; pass++) {
    const view = ask('dear', 60, true)
    await clock.advance(5_000)
    await view
  }
  expect(state.paidMs).toBe(120)
})
