import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { Store } from '../../store/store.ts'
import { EventExpiry, lastWrite } from './event-expiry.ts'

const START = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()
const event = (name: string, more: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'n', creationTimestamp: at(0) },
  ...more,
})

describe('events', () => {
  let store: Store
  let seconds = 0
  /** By how much the wall clock was set forward, in seconds. */
  let set = 0
  let expiry: EventExpiry
  const begin = (): EventExpiry =>
    new EventExpiry({
      store,
      clock: { now: () => START + (seconds + set) * 1000, monotonic: () => seconds * 1000 },
      expire: async ({ bucket, key, revision }) =>
        void (await store.commit([{ type: 'delete', bucket, key, expect: { revision } }])),
      seconds: 3600,
      onError: (_, error) => {
        throw error
      },
    })
  const write = (name: string, more?: Readonly<Record<string, unknown>>) =>
    store.commit([{ type: 'put', bucket: 'events', key: `n/${name}`, object: event(name, more) }])
  const left = (): readonly string[] => [...store.latestIn('events', undefined)].map(({ key }) => key)

  beforeEach(async () => {
    store = await Store.open({ memory: true }, { freeze: true })
    seconds = 0
    set = 0
    expiry = begin()
  })
  afterEach(async () => {
    await expiry.stop()
    await store.close()
  })

  test('go when their time is over, not earlier', async () => {
    await write('a')
    seconds = 10
    await write('b')
    seconds = 3599
    await expiry.sweep()
    expect(left()).toEqual(['n/a', 'n/b'])
    seconds = 3600
    await expiry.sweep()
    expect(left()).toEqual(['n/b'])
  })

  test('get all of it again with each write', async () => {
    await write('a')
    await write('b')
    seconds = 3000
    await write('a', { count: 2 })
    seconds = 3700
    await expiry.sweep()
    expect(left()).toEqual(['n/a'])
    seconds = 6600
    await expiry.sweep()
    expect(left()).toEqual([])
  })

  test.each([7200, -7200])('live as long as ever when the clock is set by %d seconds meanwhile', async (step) => {
    await write('a')
    seconds = 10
    set = step
    await write('b')
    seconds = 3599
    await expiry.sweep()
    expect(left()).toEqual(['n/a', 'n/b'])
    seconds = 3600
    await expiry.sweep()
    expect(left()).toEqual(['n/b'])
  })

  test('may be deleted, and made again, by others', async () => {
    await write('a')
    await store.commit([{ type: 'delete', bucket: 'events', key: 'n/a' }])
    seconds = 3000
    await write('a')
    seconds = 3700
    await expiry.sweep()
    expect(left()).toEqual(['n/a'])
  })

  test('that are renewed in the same moment stay', async () => {
    await write('a')
    seconds = 3600
    const renewed = write('a', { count: 2 })
    await expiry.sweep()
    await renewed
    expect(left()).toEqual(['n/a'])
  })

  test('go by the thousand', async () => {
    await Promise.all(Array.from({ length: 3000 }, (_, i) => write(`e${i}`)))
    seconds = 3600
    await expiry.sweep()
    expect(left()).toEqual([])
  })

  test('of another life of the process go by the times that they carry', async () => {
    await expiry.stop()
    await write('old')
    await write('repeated', { lastTimestamp: at(1800) })
    await write('series', { series: { count: 2, lastObservedTime: at(2400) } })
    seconds = 3000
    expiry = begin()
    await write('new')
    await expiry.sweep()
    seconds = 3600
    await expiry.sweep()
    expect(left()).toEqual(['n/new', 'n/repeated', 'n/series'])
    seconds = 5400
    await expiry.sweep()
    expect(left()).toEqual(['n/new', 'n/series'])
    seconds = 6600
    await expiry.sweep()
    expect(left()).toEqual([])
  })
})

describe('the last write of an event', () => {
  test('is the latest time that it carries', () => {
    const times = { firstTimestamp: at(1), lastTimestamp: at(3), eventTime: null }
    expect(lastWrite(event('a', times), START + 10_000)).toBe(START + 3000)
    expect(lastWrite(event('a', { eventTime: at(5) }), START + 10_000)).toBe(START + 5000)
  })

  test('is not to come', () => {
    expect(lastWrite(event('a', { lastTimestamp: at(99) }), START + 10_000)).toBe(START)
  })

  test('is long ago where it carries none', () => {
    expect(lastWrite({ apiVersion: 'v1', kind: 'Event', metadata: { name: 'a' } }, START)).toBe(0)
  })
})
