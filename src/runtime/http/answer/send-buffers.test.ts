import { expect, test, vi } from 'vitest'
import { SendBuffers } from './send-buffers.ts'

class Stream {
  writableLength = 0
  destroyed = false
  destroy(): void {
    this.destroyed = true
  }
}

const streams = (...lengths: readonly number[]): readonly Stream[] =>
  lengths.map((length) => Object.assign(new Stream(), { writableLength: length }))
const cut = (all: readonly Stream[]): readonly boolean[] => all.map(({ destroyed }) => destroyed)

test('as long as all together hold little nobody is cut off', () => {
  const buffers = new SendBuffers(1_000_000, Infinity)
  const all = streams(300_000, 300_000, 300_000)
  for (const stream of all) buffers.note('jane', stream)
  expect(cut(all)).toEqual([false, false, false])
})

test('when all together hold too much, the client that is furthest behind is cut off', () => {
  const buffers = new SendBuffers(1_000_000, Infinity)
  const all = streams(300_000, 500_000, 300_000)
  for (const stream of all) buffers.note('jane', stream)
  expect(cut(all)).toEqual([false, true, false])
})

test('bytes that were sent meanwhile count no more', () => {
  const buffers = new SendBuffers(1_000_000, Infinity)
  const all = streams(600_000, 600_000)
  const [first, second] = all
  buffers.note('jane', first!)
  first!.writableLength = 100_000
  buffers.note('jane', second!)
  expect(cut(all)).toEqual([false, false])
  buffers.note('jane', second!, true)
  const [third] = streams(950_000)
  buffers.note('jane', third!)
  expect(cut([...all, third!])).toEqual([false, false, true])
})

test('any number of streams may hold little', () => {
  const buffers = new SendBuffers(1_000_000, Infinity)
  const all = streams(...Array.from({ length: 1000 }, () => 60_000))
  for (const stream of all) buffers.note('jane', stream)
  expect(cut(all)).not.toContain(true)
})

test('the unread bytes of one user are bounded for that user, answers and watches alike', () => {
  const buffers = new SendBuffers(10_000_000, 1_000_000)
  const [small, large, other] = streams(400_000, 700_000, 900_000)
  buffers.note('jack', other!)
  buffers.note('jane', small!)
  buffers.note('jane', large!)
  expect(cut([small!, large!, other!])).toEqual([false, true, false])
  buffers.note('jane', large!, true)
  const [next] = streams(500_000)
  buffers.note('jane', next!)
  expect(cut([small!, next!])).toEqual([false, false])
})

test('the answer that nobody reads is cut off, and not the larger one that is being read', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const buffers = new SendBuffers(10_000_000, 1_000_000)
  const [unread, read, pieces, fresh] = streams(400_000, 300_000, 200_000, 600_000)
  const inPieces = Object.assign(pieces!, { taken: 0 })
  for (const stream of [unread!, read!, inPieces]) buffers.note('jane', stream)
  vi.advanceTimersByTime(1000)
  read!.writableLength = 290_000
  inPieces.taken = 1
  for (const stream of [read!, inPieces]) buffers.note('jane', stream)
  buffers.note('jane', fresh!)
  expect(cut([unread!, read!, inPieces, fresh!])).toEqual([true, false, false, false])
  vi.useRealTimers()
})
