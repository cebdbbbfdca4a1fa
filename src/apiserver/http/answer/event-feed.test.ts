import { expect, test } from 'vitest'
import type { TextStream } from '../../../runtime/http/exchange.ts'
import type { StoreEvent } from '../../../store/record/event.ts'
import { ObjectCache } from '../../../store/record/object-cache.ts'
import { StoredRecord } from '../../../store/record/record.ts'
import { EventFeed } from './event-feed.ts'

const cache = new ObjectCache(1000, false)

function event(revision: number, text = '{}'): StoreEvent {
  const record = new StoredRecord(cache, 'pods', `ns/${revision}`, revision, revision, text)
  return { type: 'added', revision, record, previous: undefined }
}

/** A stream that has room again only when `drain` is called, and says what was written together. */
function slowStream() {
  const written: string[][] = []
  let full = Promise.withResolvers<void>()
  let cut = false
  const stream: TextStream = {
    write: (lines) => {
      written.push(typeof lines === 'string' ? [lines] : lines.map(String))
      return true
    },
    drained: () => full.promise,
    end: () => undefined,
    cut: () => void (cut = true),
  }
  const drain = async (): Promise<void> => {
    full.resolve()
    full = Promise.withResolvers()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { stream, written, drain, isCut: () => cut }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const revisionOf = ({ revision }: StoreEvent): string => String(revision)
const nothing = (): void => undefined

test('nothing is sent before the start, then everything in order', async () => {
  const { stream, written } = slowStream()
  const feed = new EventFeed(stream, revisionOf, nothing)
  feed.offer(event(1))
  feed.offer(event(2))
  await turn()
  expect(written).toEqual([])
  void feed.start()
  expect(written).toEqual([['1', '2']])
})

test('events of one transaction are written together, and those that come while there is no room wait', async () => {
  const { stream, written, drain } = slowStream()
  const feed = new EventFeed(stream, revisionOf, nothing)
  await feed.start()
  for (const revision of [1, 2, 3]) feed.offer(event(revision))
  await turn()
  expect(written).toEqual([['1', '2', '3']])
  for (const revision of [4, 5]) feed.offer(event(revision))
  await turn()
  expect(written).toHaveLength(1)
  expect(feed.caughtUp).toBe(false)
  await drain()
  await drain()
  expect(written).toEqual([
    ['1', '2', '3'],
    ['4', '5'],
  ])
  expect(feed.caughtUp).toBe(true)
})

test('events that the client does not see cause no write', async () => {
  const { stream, written } = slowStream()
  const feed = new EventFeed(stream, () => undefined, nothing)
  await feed.start()
  feed.offer(event(1))
  await turn()
  expect(written).toEqual([])
  expect(feed.caughtUp).toBe(true)
})

test('a client that does not read is cut off before what waits for it grows without bound', async () => {
  const { stream, isCut } = slowStream()
  let gaveUp = false
  const feed = new EventFeed(stream, revisionOf, () => void (gaveUp = true))
  await feed.start()
  const text = 'x'.repeat(1024 * 1024)
  for (let revision = 1; revision <= 16; revision++) feed.offer(event(revision, text))
  expect(isCut()).toBe(false)
  feed.offer(event(17, text))
  expect([isCut(), gaveUp]).toEqual([true, true])
})

test('a feed that is finished ends when all that was offered has been sent', async () => {
  const { stream, written, drain } = slowStream()
  let ended = false
  const feed = new EventFeed(stream, revisionOf, () => void (ended = true))
  feed.offer(event(1))
  feed.finish()
  expect(ended).toBe(false)
  void feed.start()
  expect([written, ended]).toEqual([[['1']], false])
  await drain()
  expect(ended).toBe(true)
})

test('a feed that has sent everything ends as soon as it is finished', async () => {
  let ended = false
  const feed = new EventFeed(slowStream().stream, revisionOf, () => void (ended = true))
  await feed.start()
  feed.finish()
  expect(ended).toBe(true)
})
