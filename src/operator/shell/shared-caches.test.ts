import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { thing, THINGS } from '../../../test/kube/scripted-caches.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { keepFields } from './keep-fields.ts'
import { SharedCaches } from './shared-caches.ts'

let stop = (): Promise<void> => Promise.resolve()
afterEach(() => stop())

function sharing(...objects: readonly ReturnType<typeof thing>[]) {
  const server = new ScriptedClient(THINGS)
  for (const object of objects) server.put(object)
  const caches = new SharedCaches({ client: server, clock: new ManualClock(), logger: silentLogger })
  stop = () => caches.stop()
  return { server, caches, lists: () => server.calls.filter((call) => call === 'list').length }
}

const size = { kind: THINGS, keep: keepFields('size') }
const names = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name).toSorted()

test('three systems that need a kind watch it once, and each sees the fields that it asked for', async () => {
  const { server, caches, lists } = sharing(thing('a', 1, { x: '1' }))
  const sizes = caches.view(size)
  const labels = caches.view({ kind: THINGS, keep: keepFields('metadata.labels') })
  const same = caches.view(size)
  caches.start()
  await Promise.all([sizes, labels, same].map((view) => view.whenSynced()))
  expect([server.openWatches, lists()]).toEqual([1, 1])
  expect(sizes.get('n', 'a')?.fields).toEqual({ size: 1 })
  expect(labels.get('n', 'a')?.fields).toEqual({ 'metadata.labels': { x: '1' } })
  // Fields that two systems need alike are in memory once.
  expect(same.get('n', 'a')).toBe(sizes.get('n', 'a'))
})

test('a change of a field that a system did not ask for is not reported to it', async () => {
  const { server, caches } = sharing(thing('a', 1, { x: '1' }))
  const reported: string[] = []
  caches.view(size).onChange((_, current) => reported.push(`size ${String(current?.fields['size'])}`))
  caches.view({ kind: THINGS, keep: keepFields('metadata.labels') }).onChange(() => reported.push('labels'))
  caches.start()
  await settled()
  server.put(thing('a', 2, { x: '1' }))
  await settled()
  expect(reported).toEqual(['size 1', 'labels', 'size 2'])
})

test('a system that comes later has everything listed once more, and the others get no events again', async () => {
  const { server, caches, lists } = sharing(thing('a', 1, { x: '1' }), thing('b', 2))
  const sizes = caches.view(size)
  const reported: string[] = []
  sizes.onChange((_, __, { name }) => reported.push(name))
  caches.start()
  await sizes.whenSynced()
  const labels = caches.view({
    kind: THINGS,
    keep: keepFields('metadata.labels'),
    indexes: { has: ({ fields }) => Object.keys(fields) },
  })
  expect([labels.synced, sizes.synced]).toEqual([false, true])
  await labels.whenSynced()
  await settled()
  expect(names(labels.by('has', 'metadata.labels'))).toEqual(['a', 'b'])
  expect(labels.get('n', 'a')?.fields).toEqual({ 'metadata.labels': { x: '1' } })
  expect([server.openWatches, lists()]).toEqual([1, 2])
  server.put(thing('b', 3))
  await settled()
  expect(reported).toEqual(['a', 'b', 'b'])
})

test('a kind is watched as far as anybody needs it: with a selector as long as all have the same', async () => {
  const { server, caches } = sharing(thing('a', 1, { x: '1' }), thing('b', 2))
  const some = caches.view({ ...size, labelSelector: 'x' })
  caches.start()
  await some.whenSynced()
  server.put(thing('c', 3))
  await settled()
  expect(names(some.list())).toEqual(['a'])
  const all = caches.view(size)
  await all.whenSynced()
  expect([names(some.list()), names(all.list())]).toEqual([['a'], ['a', 'b', 'c']])
  server.put(thing('b', 2, { x: '1' }))
  await settled()
  expect(names(some.list())).toEqual(['a', 'b'])
})

test('a kind that nobody needs any more is watched no longer, and can be needed again', async () => {
  const { server, caches } = sharing(thing('a', 1))
  caches.start()
  const [one, other] = [caches.view(size), caches.view(size)]
  await one.whenSynced()
  await settled()
  one.release()
  await settled()
  expect(server.openWatches).toBe(1)
  other.release()
  await settled()
  expect(server.openWatches).toBe(0)
  const again = caches.view(size)
  await again.whenSynced()
  await settled()
  expect([names(again.list()), server.openWatches]).toEqual([['a'], 1])
})

test('the writer is reported with a write of our own, and nobody with those of others', async () => {
  const { server, caches } = sharing()
  const view = caches.view(size)
  const writers: (string | undefined)[] = []
  view.onChange((_, __, { by }) => writers.push(by))
  caches.start()
  await view.whenSynced()
  await settled()
  server.muted = true
  view.observed(server.put(thing('a', 1)), 'a controller')
  server.muted = false
  server.put(thing('a', 2))
  await settled()
  expect(writers).toEqual(['a controller', undefined])
})
