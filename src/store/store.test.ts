import { expect, test } from 'vitest'
import type { KubeObject } from '../machinery/object.ts'
import type { StoreEvent } from './record/event.ts'
import { Store, type StoreOptions } from './store.ts'
import { StoreConflict, StoreError, StoreExpired, StoreFuture } from './record/store-error.ts'
import type { Expectation, Write } from './record/write.ts'

const inMemory = (options: StoreOptions = {}): Promise<Store> =>
  Store.open({ memory: true }, { freeze: true, ...options })

const thing = (name: string, value = ''): KubeObject => ({
  kind: 'Thing',
  apiVersion: 'v1',
  metadata: { name, resourceVersion: 'stale', uid: 'u' },
  value,
})
const put = (key: string, value = '', expect?: Expectation): Write => ({
  type: 'put',
  bucket: 'things',
  key,
  object: thing(key, value),
  ...(expect === undefined ? {} : { expect }),
})
const remove = (key: string, expect?: Expectation): Write => ({
  type: 'delete',
  bucket: 'things',
  key,
  ...(expect === undefined ? {} : { expect }),
})
const keys = (list: { records: readonly { key: string }[] }): string[] => list.records.map(({ key }) => key)
const textOf = ({ type, revision, record, previous }: StoreEvent): string =>
  `${type} ${record.key}@${revision} was ${previous?.revision ?? '-'}`

test('the first write gets revision 1 and every further one the next', async () => {
  const store = await inMemory()
  expect(store.revision).toBe(0)
  const records = await store.commit([put('a'), put('b')])
  expect(records.map(({ revision }) => revision)).toEqual([1, 2])
  expect((await store.commit([put('a')]))[0]).toMatchObject({ revision: 3, created: 1 })
  expect(store.revision).toBe(3)
})

test('the text carries the revision as resourceVersion and keeps the order of the fields', async () => {
  const store = await inMemory()
  const [record] = await store.commit([put('a', 'x')])
  expect(record!.text).toBe(
    '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1","uid":"u"},"value":"x"}',
  )
  expect(record!.object).toEqual(JSON.parse(record!.text))
})

test('the object that was given is not changed', async () => {
  const store = await Store.open({ memory: true })
  const object = thing('a')
  await store.commit([{ type: 'put', bucket: 'things', key: 'a', object }])
  expect(object).toEqual(thing('a'))
  expect(Object.isFrozen(object)).toBe(false)
})

test('an accepted write is seen by latest at once and by readers when it is durable', async () => {
  const store = await inMemory()
  const done = store.commit([put('a')])
  expect(store.latest('things', 'a')?.revision).toBe(1)
  expect([...store.latestIn('things', undefined)].map(({ key }) => key)).toEqual(['a'])
  expect(store.get('things', 'a')).toBeUndefined()
  expect(store.list('things')).toEqual({ records: [], revision: 0 })
  expect(store.inFlight).toBe(true)
  await done
  expect(store.get('things', 'a')?.revision).toBe(1)
  expect(keys(store.list('things'))).toEqual(['a'])
})

test.each<[string, readonly Write[], Write, number | undefined]>([
  ['absent, but it is there', [put('a')], put('a', '', 'absent'), 1],
  ['present, but it is not', [], put('a', '', 'present'), undefined],
  ['another revision', [put('a')], put('a', '', { revision: 7 }), 1],
  ['a revision, but it is gone', [put('a'), remove('a')], put('a', '', { revision: 1 }), undefined],
  ['nothing of a deletion, but there is nothing', [], remove('a'), undefined],
  ['another revision of a deletion', [put('a'), put('a')], remove('a', { revision: 1 }), 2],
])('a write that expects %s is refused', async (_, before, write, current) => {
  const store = await inMemory()
  await store.commit(before)
  const error = await store.commit([put('other'), write]).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(StoreConflict)
  expect(error).toMatchObject({ code: 'conflict', index: 1 })
  expect((error as StoreConflict).current?.revision).toBe(current)
  expect(store.latest('things', 'other')).toBeUndefined()
  expect((await store.commit([put('next')]))[0]?.revision).toBe(before.length + 1)
})

test('expectations are checked in call order against what was accepted, durable or not', async () => {
  const store = await inMemory()
  const first = store.commit([put('a', '1', 'absent')])
  const second = store.commit([put('a', '2', { revision: 1 })])
  const third = store.commit([put('a', '3', { revision: 1 })])
  await expect(third).rejects.toThrow('things "a" is at revision 2')
  await first
  await second
  expect(store.get('things', 'a')?.object['value']).toBe('2')
})

test('writes of one commit see those before them', async () => {
  const store = await inMemory()
  const seen: string[] = []
  store.watch({ bucket: 'things' }, (event) => seen.push(textOf(event)))
  await store.commit([put('a', '', 'absent'), put('a', '', { revision: 1 }), remove('a'), put('a', '', 'absent')])
  expect(seen).toEqual(['added a@1 was -', 'modified a@2 was 1', 'deleted a@3 was 2', 'added a@4 was -'])
  expect(store.get('things', 'a')?.created).toBe(4)
})

test('a deletion shows the last state with its own revision, or the state that it was given', async () => {
  const store = await inMemory()
  const events: StoreEvent[] = []
  store.watch({ bucket: 'things' }, (event) => events.push(event))
  await store.commit([put('a', 'kept'), put('b')])
  await store.commit([remove('a'), { type: 'delete', bucket: 'things', key: 'b', object: thing('b', 'last words') }])
  expect(events[2]).toMatchObject({ type: 'deleted', revision: 3 })
  expect(events[2]!.record.object).toMatchObject({ metadata: { resourceVersion: '3' }, value: 'kept' })
  expect(events[3]!.record.object).toMatchObject({ metadata: { resourceVersion: '4' }, value: 'last words' })
  expect(events[3]!.record.created).toBe(2)
  expect(store.list('things').records).toEqual([])
})

test('an object that JSON cannot carry is refused without effect', async () => {
  const store = await Store.open({ memory: true })
  const object = { ...thing('a'), count: 1n }
  await expect(store.commit([put('b'), { type: 'put', bucket: 'things', key: 'a', object }])).rejects.toThrow(TypeError)
  expect(store.latest('things', 'b')).toBeUndefined()
  expect(store.inFlight).toBe(false)
})

test('keys are ordered as etcd orders them and a namespace lists only its own', async () => {
  const store = await inMemory()
  await store.commit(['a/z', 'a-b/x', 'b/a', 'a/b', 'ab/c'].map((key) => put(key)))
  expect(keys(store.list('things'))).toEqual(['a-b/x', 'a/b', 'a/z', 'ab/c', 'b/a'])
  expect(keys(store.list('things', { namespace: 'a' }))).toEqual(['a/b', 'a/z'])
  expect([...store.latestIn('things', 'a')].map(({ key }) => key)).toEqual(['a/b', 'a/z'])
  expect(keys(store.list('others'))).toEqual([])
})

test('pages of a list show the state of the first page while others write', async () => {
  const store = await inMemory()
  await store.commit(['a', 'b', 'c', 'd', 'e'].map((key) => put(key, 'old')))
  const first = store.list('things', { limit: 2 })
  expect({ ...first, records: keys(first) }).toEqual({ records: ['a', 'b'], revision: 5, next: 'b', remaining: 3 })
  await store.commit([remove('c'), put('d', 'new'), put('dd'), remove('a'), put('b', 'new')])
  const second = store.list('things', { limit: 2, after: first.next, at: first.revision })
  expect(second.records.map(({ key, object }) => [key, object['value']])).toEqual([
    ['c', 'old'],
    ['d', 'old'],
  ])
  expect(second).toMatchObject({ revision: 5, next: 'd', remaining: 1 })
  const third = store.list('things', { limit: 2, after: second.next, at: second.revision })
  expect(keys(third)).toEqual(['e'])
  expect(third.next).toBeUndefined()
  expect(third.remaining).toBeUndefined()
  expect(keys(store.list('things'))).toEqual(['b', 'd', 'dd', 'e'])
})

test('a filtered page shows whether there is more, not how much', async () => {
  const store = await inMemory()
  await store.commit(['a', 'b', 'c', 'd'].map((key) => put(key)))
  const page = store.list('things', { limit: 1, matches: ({ key }) => key > 'a' })
  expect({ ...page, records: keys(page) }).toEqual({ records: ['b'], revision: 4, next: 'b', remaining: undefined })
})

test('a watch replays what happened after a revision and then follows, in its namespace', async () => {
  const store = await inMemory()
  await store.commit([put('x/a'), put('y/a'), put('x/b')])
  await store.commit([remove('x/a')])
  const seen: string[] = []
  const watch = store.watch({ bucket: 'things', namespace: 'x', from: 1 }, (event) => seen.push(textOf(event)))
  expect(seen).toEqual(['added x/b@3 was -', 'deleted x/a@4 was 1'])
  await store.commit([put('y/b'), put('x/c')])
  expect(seen.slice(2)).toEqual(['added x/c@6 was -'])
  watch.close()
  await store.commit([put('x/d')])
  expect(seen).toHaveLength(3)
})

test('a watcher knows up to which revision it has seen everything, also while a batch is delivered', async () => {
  const store = await inMemory()
  await store.commit([put('a')])
  const progress: (readonly [string, number])[] = []
  const watches = ['first', 'second'].map((name) =>
    store.watch({ bucket: 'things' }, () => {
      for (const [i, watch] of watches.entries()) if (i < 2) progress.push([`${name} ${i}`, watch.progress])
    }),
  )
  await store.commit([put('b'), { ...put('o'), bucket: 'others' }, put('c')])
  expect(progress).toEqual([
    ['first 0', 2],
    ['first 1', 1],
    ['second 0', 2],
    ['second 1', 2],
    ['first 0', 4],
    ['first 1', 3],
    ['second 0', 4],
    ['second 1', 4],
  ])
  await store.commit([{ ...put('p'), bucket: 'others' }])
  expect(watches.map((watch) => watch.progress)).toEqual([5, 5])
})

test('a watch that begins inside a listener misses nothing and sees nothing twice', async () => {
  const store = await inMemory()
  const seen: string[] = []
  let begun = false
  store.watch({ bucket: 'things' }, ({ revision }) => {
    if (begun) return
    begun = true
    store.watch({ bucket: 'things', from: revision }, (event) => seen.push(textOf(event)))
  })
  await store.commit([put('a'), put('b'), put('c')])
  await store.commit([put('d')])
  expect(seen).toEqual(['added b@2 was -', 'added c@3 was -', 'added d@4 was -'])
})

test('a listener sees the whole transaction published', async () => {
  const store = await inMemory()
  const seen: (number | undefined)[] = []
  store.watch({ bucket: 'things' }, () => seen.push(store.revision, store.get('things', 'b')?.revision))
  await store.commit([put('a'), put('b')])
  expect(seen).toEqual([2, 2, 2, 2])
})

test('a revision before the bounded history is expired, and one beyond the newest is in the future', async () => {
  const store = await inMemory({ historyEvents: 3 })
  for (const key of ['a', 'b', 'c', 'd', 'e']) await store.commit([put(key)])
  expect(keys(store.list('things', { at: 2 }))).toEqual(['a', 'b'])
  expect(() => store.list('things', { at: 1 })).toThrow(StoreExpired)
  expect(() => store.list('things', { at: 6 })).toThrow(StoreFuture)
  expect(() => store.watch({ bucket: 'things', from: 1 }, () => {})).toThrow('revision 1 is no longer kept')
  expect(() => store.watch({ bucket: 'things', from: 6 }, () => {})).toThrow(StoreFuture)
  const seen: string[] = []
  store.watch({ bucket: 'things', from: 2 }, (event) => seen.push(textOf(event)))
  expect(seen).toHaveLength(3)
})

test('a kind or a namespace to which nothing was written has its whole history', async () => {
  const store = await inMemory({ historyEvents: 3 })
  const at = (bucket: string, key: string): Write => ({ ...put(key), bucket })
  await store.commit([at('quiet', 'n/a'), at('busy', 'quiet/a')])
  for (const key of ['a', 'b', 'c', 'd', 'e']) await store.commit([at('busy', `n/${key}`)])
  expect(keys(store.list('quiet', { at: 1 }))).toEqual(['n/a'])
  expect(keys(store.list('busy', { namespace: 'quiet', at: 2 }))).toEqual(['quiet/a'])
  expect(() => store.list('busy', { at: 3 })).toThrow(StoreExpired)
  expect(() => store.list('busy', { namespace: 'n', at: 3 })).toThrow(StoreExpired)
  const seen: string[] = []
  store.watch({ bucket: 'quiet', from: 1 }, (event) => seen.push(textOf(event)))
  await store.commit([at('quiet', 'n/b')])
  expect(seen).toHaveLength(1)
})

test('the history is bounded by its text too and always keeps the newest event', async () => {
  const store = await inMemory({ historyText: 1400 })
  await store.commit([put('a', 'x'.repeat(300)), put('b', 'x'.repeat(300)), put('c', 'x'.repeat(300))])
  expect(() => store.list('things', { at: 0 })).toThrow(StoreExpired)
  expect(keys(store.list('things', { at: 1 }))).toEqual(['a'])
  await store.commit([put('d', 'x'.repeat(3000))])
  expect(keys(store.list('things', { at: 3 }))).toEqual(['a', 'b', 'c'])
})

test('commits made in one go, or behind a write in flight, resolve in order', async () => {
  const store = await inMemory()
  const order: string[] = []
  const note = (name: string) => (): void => void order.push(`${name} at ${store.revision}`)
  const first = store.commit([put('a')]).then(note('first'))
  const flushed = store.whenFlushed().then(note('flushed'))
  const second = store.commit([put('b')]).then(note('second'))
  await Promise.all([first, second, flushed])
  expect(order).toEqual(['first at 2', 'second at 2', 'flushed at 2'])
  await store.whenFlushed()
  expect(store.inFlight).toBe(false)
})

test('a closed store refuses commits and watches and ends what was watched', async () => {
  const store = await inMemory()
  const seen: string[] = []
  store.watch({ bucket: 'things' }, (event) => seen.push(textOf(event)))
  const last = store.commit([put('a')])
  const closed = store.close()
  await expect(store.commit([put('b')])).rejects.toMatchObject({ code: 'closed' })
  await closed
  await expect(last).resolves.toHaveLength(1)
  expect(seen).toEqual(['added a@1 was -'])
  expect(() => store.watch({ bucket: 'things' }, () => {})).toThrow(StoreError)
})

test('the number of parsed records is bounded, and others are parsed again when needed', async () => {
  const store = await inMemory({ parsedText: 400 })
  await store.commit(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => put(key, key)))
  const a = store.get('things', 'a')!
  const h = store.get('things', 'h')!
  expect(a.object).toBe(a.object)
  const before = h.object
  for (const { object } of store.list('things').records) expect(object['value']).toBe(object.metadata.name)
  for (const { object } of store.list('things').records) expect(Object.isFrozen(object.metadata)).toBe(true)
  expect(h.object).toEqual(before)
})

test('a frozen store refuses objects that would not survive their text', async () => {
  const store = await inMemory()
  const object = { ...thing('a'), spec: { list: [{ gone: undefined }] } }
  await expect(store.commit([{ type: 'put', bucket: 'things', key: 'a', object }])).rejects.toThrow(
    '.spec.list.0.gone: undefined is not JSON',
  )
})

test('an object of more than 1.5 MiB of JSON is refused, and its whole commit with it', async () => {
  const store = await inMemory()
  await expect(store.commit([put('a'), put('large', 'ü'.repeat(786_432))])).rejects.toMatchObject({
    code: 'too-large',
    index: 1,
  })
  expect(store.revision).toBe(0)
  await expect(store.commit([put('a', 'ü'.repeat(786_000))])).resolves.toHaveLength(1)
})
