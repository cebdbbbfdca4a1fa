import { expect, test } from 'vitest'
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
  const buffers = new SendBuffers(1_000_000)
  const all = streams(300_000, 300_000, 300_000)
  for (const stream of all) buffers.note(stream)
  expect(cut(all)).toEqual([false, false, false])
})

test('when all together hold too much, who is furthest behind is cut off', () => {
  const buffers = new SendBuffers(1_000_000)
  const all = streams(300_000, 500_000, 300_000)
  for (const stream of all) buffers.note(stream)
  expect(cut(all)).toEqual([false, true, false])
})

test('what has left meanwhile counts no more', () => {
  const buffers = new SendBuffers(1_000_000)
  const all = streams(600_000, 600_000)
  const [first, second] = all
  buffers.note(first!)
  first!.writableLength = 100_000
  buffers.note(second!)
  expect(cut(all)).toEqual([false, false])
  buffers.note(second!, true)
  const [third] = streams(950_000)
  buffers.note(third!)
  expect(cut([...all, third!])).toEqual([false, false, true])
})

test('any number of streams that hold little are no matter', () => {
  const buffers = new SendBuffers(1_000_000)
  const all = streams(...Array.from({ length: 1000 }, () => 60_000))
  for (const stream of all) buffers.note(stream)
  expect(cut(all)).not.toContain(true)
})
