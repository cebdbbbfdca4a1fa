import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timedOut } from '../../machinery/status.ts'
import { RequestDeadlines } from './request-deadlines.ts'

/** A clock that stands still until a test moves it; a stall is time in which no timer fires. */
function clock() {
  let now = 0
  let pending: { readonly at: number; readonly over: () => void } | undefined
  const fire = (): void => {
    const due = pending
    pending = undefined
    due?.over()
  }
  return {
    timer: {
      monotonic: () => now,
      after: (ms: number, over: () => void) => {
        pending = { at: now + ms, over }
        return () => undefined
      },
    },
    run: (ms: number): void => {
      for (const end = now + ms; now < end;) {
        now = Math.min(end, pending?.at ?? end)
        if (pending !== undefined && pending.at <= now) fire()
      }
    },
    stall: (ms: number): void => {
      now += ms
      if (pending !== undefined && pending.at <= now) fire()
    },
    get isIdle(): boolean {
      return pending === undefined
    },
  }
}

function request(ms: number, { timer } = clock()) {
  const deadlines = new RequestDeadlines(timer)
  const ended: string[] = []
  const deadline = deadlines.begin({
    ms,
    refusal: () => timedOut('too late'),
    over: ({ message }) => void ended.push(message),
  })
  return { deadlines, deadline, ended }
}

test('a request is refused once its time is over, and can store nothing from then on', () => {
  const time = clock()
  const { deadline, ended } = request(1000, time)
  time.run(900)
  deadline.demand()
  expect(ended).toEqual([])
  time.run(200)
  expect(ended).toEqual(['Timeout: too late'])
  expect(() => deadline.demand()).toThrow('too late')
  expect(() => deadline.beginCommit()).toThrow('too late')
  expect(deadline.leftMs).toBeLessThanOrEqual(0)
  time.run(5000)
  expect(ended).toHaveLength(1)
})

test('a write in flight at the deadline is waited for, and nothing more is stored', () => {
  const time = clock()
  const { deadline, ended } = request(1000, time)
  deadline.beginCommit()
  time.run(5000)
  expect(ended).toEqual([])
  expect(() => deadline.beginCommit()).toThrow('too late')
})

test('a waiting caller is called at the deadline, later ones at once, and those that stopped waiting never', () => {
  const time = clock()
  const { deadline } = request(1000, time)
  const called: string[] = []
  deadline.whenOver(() => called.push('waits'))
  deadline.whenOver(() => called.push('stopped'))()
  time.run(1200)
  deadline.whenOver(() => called.push('late'))
  expect(called).toEqual(['waits', 'late'])
})

test('a request whose client left can store nothing from then on, and nobody is sent a refusal', () => {
  const time = clock()
  const { deadline, ended } = request(1000, time)
  const called: string[] = []
  deadline.whenOver(() => called.push('waits'))
  deadline.cancel(timedOut('left'))
  deadline.cancel(timedOut('left twice'))
  expect(called).toEqual(['waits'])
  expect(() => deadline.demand()).toThrow('Timeout: left')
  expect(() => deadline.beginCommit()).toThrow('Timeout: left')
  time.run(2000)
  expect(ended).toEqual([])
  expect(time.isIdle).toBe(true)
})

test('a request that has ended is forgotten, and no timer runs for nobody', () => {
  const time = clock()
  const { deadline, deadlines, ended } = request(1000, time)
  deadline.end()
  time.run(2000)
  expect(ended).toEqual([])
  expect(time.isIdle).toBe(true)
  const again = deadlines.begin({ ms: 500, refusal: () => timedOut('x'), over: () => ended.push('again') })
  time.run(400)
  expect(again.leftMs).toBe(100)
  time.run(200)
  expect(ended).toEqual(['again'])
})

test('time in which the loop stood still does not count, and no deadline passes in the turn behind a stall', () => {
  const stalls = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 200, max: 60_000 })), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(stalls, (steps) => {
      const time = clock()
      const { deadline, ended } = request(10_000, time)
      for (const [ran, stalled] of steps) {
        time.run(ran)
        time.stall(stalled)
        expect(ended).toEqual([])
        expect(deadline.leftMs).toBeGreaterThan(0)
      }
      time.run(11_000)
      expect(ended).toHaveLength(1)
    }),
  )
})

test('a loop that is always late lets deadlines pass all the same', () => {
  const time = clock()
  const { ended } = request(1000, time)
  for (let n = 0; n < 30; n++) time.stall(400)
  expect(ended).toHaveLength(1)
})
