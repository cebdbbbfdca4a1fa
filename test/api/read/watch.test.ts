import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { apiServer, configMap, METADATA_ONLY, TABLE } from '../api-server.ts'

const api = apiServer()

test('a watch without a version begins with what is there and goes on with what happens', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/secrets`, { metadata: { name: 'old' } })
  await using watch = await api.watch(`${ns}/secrets?watch=1`)
  expect(await watch.lines(1)).toEqual(['ADDED old'])
  await api.create(`${ns}/secrets`, { metadata: { name: 'new' } })
  await api.patch(`${ns}/secrets/new`, { metadata: { labels: { a: 'b' } } })
  await api.send('DELETE', `${ns}/secrets/new`)
  expect(await watch.lines(3)).toEqual(['ADDED new', 'MODIFIED new', 'DELETED new'])
})

test('a watch from a version replays what happened behind it, in order', async () => {
  const ns = await api.namespace()
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await api.create(`${ns}/secrets`, { metadata: { name: 'a' } })
  await api.create(`${ns}/secrets`, { metadata: { name: 'b' } })
  await api.send('DELETE', `${ns}/secrets/a`)
  await using watch = await api.watch(`${ns}/secrets?watch=true&resourceVersion=${resourceVersion}`)
  expect(await watch.lines(3)).toEqual(['ADDED a', 'ADDED b', 'DELETED a'])
})

test('a watch from the version of an event misses nothing and repeats nothing', async () => {
  const ns = await api.namespace()
  for (const name of ['a', 'b']) await api.create(`${ns}/secrets`, { metadata: { name } })
  const { resourceVersion } = (await api.get(`${ns}/secrets/a`)).metadata
  await using watch = await api.watch(`${ns}/secrets?watch=1&resourceVersion=${resourceVersion}`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'c' } })
  expect(await watch.lines(2)).toEqual(['ADDED b', 'ADDED c'])
})

test('events carry versions that rise, and that of a deletion is its own', async () => {
  const ns = await api.namespace()
  await using watch = await api.watch(`${ns}/secrets?watch=1`)
  const { metadata } = await api.create(`${ns}/secrets`, { metadata: { name: 'a' } })
  await api.send('DELETE', `${ns}/secrets/a`)
  const [added, deleted] = [await watch.next(), await watch.next()]
  expect(added?.object.metadata.resourceVersion).toBe(metadata.resourceVersion)
  expect(Number(deleted?.object.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion))
})

test('a watch of a namespace sees nothing of another, a watch of all sees both', async () => {
  const [one, two] = [await api.namespace(), await api.namespace()]
  const { resourceVersion } = (await api.get('/api/v1/secrets')).metadata
  await using narrow = await api.watch(`${one}/secrets?watch=1`)
  await using wide = await api.watch(`/api/v1/secrets?watch=1&resourceVersion=${resourceVersion}`)
  await api.create(`${two}/secrets`, { metadata: { name: 'there' } })
  await api.create(`${one}/secrets`, { metadata: { name: 'here' } })
  expect(await narrow.lines(1)).toEqual(['ADDED here'])
  expect(await wide.lines(2)).toEqual(['ADDED there', 'ADDED here'])
})

test('for a selection objects that begin to match are added, those that cease to are deleted', async () => {
  const ns = await api.namespace()
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await api.create(`${ns}/secrets`, { metadata: { name: 'a', labels: { tier: 'web' } } })
  await using watch = await api.watch(
    `${ns}/secrets?watch=1&labelSelector=tier%3Ddb&resourceVersion=${resourceVersion}`,
  )
  await api.patch(`${ns}/secrets/a`, { metadata: { labels: { tier: 'db' } } })
  await api.patch(`${ns}/secrets/a`, { metadata: { labels: { more: 'x' } } })
  const left = await api.patch(`${ns}/secrets/a`, { metadata: { labels: { tier: 'web' } } })
  await api.patch(`${ns}/secrets/a`, { metadata: { labels: { more: 'y' } } })
  await api.patch(`${ns}/secrets/a`, { metadata: { labels: { tier: 'db' } } })
  await api.send('DELETE', `${ns}/secrets/a`)
  expect(await watch.lines(2)).toEqual(['ADDED a', 'MODIFIED a'])
  const gone = await watch.next()
  expect([gone?.type, gone?.object.metadata.labels.tier, gone?.object.metadata.resourceVersion]).toEqual([
    'DELETED',
    'db',
    left.metadata.resourceVersion,
  ])
  expect(await watch.lines(2)).toEqual(['ADDED a', 'DELETED a'])
})

test('one object is watched by its name', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/secrets`, { metadata: { name: 'other' } })
  await using watch = await api.watch(`${ns}/secrets?watch=1&fieldSelector=metadata.name%3Dmine`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'mine' } })
  expect(await watch.lines(1)).toEqual(['ADDED mine'])
})

test('initial events end with a bookmark that says so', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/secrets`, { metadata: { name: 'a' } })
  await using watch = await api.watch(
    `${ns}/secrets?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
  )
  expect(await watch.lines(1)).toEqual(['ADDED a'])
  const revision = String(api.running.store.revision)
  expect(await watch.next()).toEqual({
    type: 'BOOKMARK',
    object: {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: revision,
        creationTimestamp: null,
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    },
  })
  await api.create(`${ns}/secrets`, { metadata: { name: 'b' } })
  expect(await watch.lines(1)).toEqual(['ADDED b'])
})

test('a watch without initial events sends none of the present objects', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/secrets`, { metadata: { name: 'a' } })
  await using watch = await api.watch(`${ns}/secrets?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'b' } })
  expect(await watch.lines(1)).toEqual(['ADDED b'])
})

test('a watch ends when its time is up, after a bookmark to go on from', async () => {
  const ns = await api.namespace()
  await using watch = await api.watch(`${ns}/secrets?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`)
  await api.create('/api/v1/namespaces/default/secrets', { metadata: { generateName: 'elsewhere-' } })
  const events = await watch.rest()
  expect(events.map(({ type }) => type)).toEqual(['BOOKMARK'])
  expect(Number(events[0]?.object.metadata.resourceVersion)).toBe(api.running.store.revision)
})

test('without being asked for there are no bookmarks', async () => {
  const ns = await api.namespace()
  await using watch = await api.watch(`${ns}/secrets?watch=1&timeoutSeconds=1`)
  expect(await watch.rest()).toEqual([])
})

test('without being asked for no bookmark ends the initial events either', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/secrets`, { metadata: { name: 'a' } })
  await using watch = await api.watch(
    `${ns}/secrets?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`,
  )
  expect((await watch.rest()).map(({ type }) => type)).toEqual(['ADDED'])
})

test('a table sends its columns with the first event only', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/configmaps`, configMap('a', { k: 'v' }))
  await using watch = await api.watch(`${ns}/configmaps?watch=1&fieldSelector=metadata.name%3Da`, TABLE)
  const added = await watch.next()
  expect(added?.object).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
  expect(added?.object.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age'])
  expect(added?.object.rows).toMatchObject([
    { cells: ['a', 1, expect.any(String)], object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } } },
  ])
  await api.patch(`${ns}/configmaps/a`, { data: { l: 'w' } })
  const modified = await watch.next()
  expect(modified?.object.columnDefinitions ?? []).toEqual([])
  expect(modified?.object.rows[0].cells[1]).toBe(2)
})

test('metadata can be watched alone', async () => {
  const ns = await api.namespace()
  await using watch = await api.watch(`${ns}/configmaps?watch=1&fieldSelector=metadata.name%3Da`, METADATA_ONLY)
  await api.create(`${ns}/configmaps`, configMap('a', { k: 'v' }))
  const event = await watch.next()
  expect(event?.object).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: expect.objectContaining({ name: 'a' }),
  })
})

test('a watch from a version to come is silent until it is reached', async () => {
  const ns = await api.namespace()
  const from = api.running.store.revision + 3
  await using watch = await api.watch(`${ns}/secrets?watch=1&resourceVersion=${from}`)
  expect(watch.status).toBe(200)
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => api.create(`${ns}/secrets`, { metadata: { name } })))
  const seen = await watch.next()
  expect(seen?.type).toBe('ADDED')
  expect(Number(seen?.object.metadata.resourceVersion)).toBeGreaterThan(from)
})

test('the initial events of a version to come are rejected with a time to wait', async () => {
  const query = 'watch=1&resourceVersion=99999999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'
  const answer = await api.send('GET', `/api/v1/secrets?${query}`)
  expect([answer.status, answer.body.reason]).toEqual([504, 'Timeout'])
})

test('a watch for less than no time ends at once, and one for longer than timers run does not', async () => {
  await using short = await api.watch('/api/v1/secrets?watch=1&resourceVersion=99999999&timeoutSeconds=-1')
  expect([short.status, await short.rest()]).toEqual([200, []])
  const ns = await api.namespace()
  await using long = await api.watch(`${ns}/secrets?watch=1&timeoutSeconds=99999999`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'late' } })
  expect(await long.lines(1)).toEqual(['ADDED late'])
})

test('watchers that leave while others write cost nobody an event', async () => {
  const ns = await api.namespace()
  await using stays = await api.watch(`${ns}/secrets?watch=1`)
  const leavers = await Promise.all(Array.from({ length: 10 }, () => api.watch(`${ns}/secrets?watch=1`)))
  const writes = Array.from({ length: 40 }, async (_, i) => {
    if (i % 4 === 0) await leavers[i / 4]?.close()
    await api.create(`${ns}/secrets`, { metadata: { name: `s-${String(i).padStart(2, '0')}` } })
  })
  await Promise.all(writes)
  expect((await stays.lines(40)).toSorted()).toEqual(
    Array.from({ length: 40 }, (_, i) => `ADDED s-${String(i).padStart(2, '0')}`),
  )
})

test('events of one watch come in the order of their versions', async () => {
  const ns = await api.namespace()
  await using watch = await api.watch(`${ns}/secrets?watch=1`)
  await Promise.all(Array.from({ length: 30 }, (_, i) => api.create(`${ns}/secrets`, { metadata: { name: `s-${i}` } })))
  const versions: number[] = []
  while (versions.length < 30) versions.push(Number((await watch.next())?.object.metadata.resourceVersion))
  expect(versions).toEqual(versions.toSorted((a, b) => a - b))
})

const BIG = 'x'.repeat(900_000)

test('a client that does not read is cut off, and the others see everything', async () => {
  const ns = await api.namespace()
  const { port } = new URL(api.running.url)
  const sleeper = connect(Number(port), '127.0.0.1')
  sleeper.write(
    `GET ${ns}/configmaps?watch=1&labelSelector=big HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.running.token}\r\n\r\n`,
  )
  await once(sleeper, 'data')
  sleeper.pause()
  const cut = once(sleeper, 'close')
  sleeper.on('error', () => undefined)
  await using reader = await api.watch(`${ns}/configmaps?watch=1&labelSelector=big`)
  const seen = reader.lines(28)
  await api.create(`${ns}/configmaps`, configMap('big', { text: BIG }, { labels: { big: '0' } }))
  for (let i = 1; i < 28; i++) await api.patch(`${ns}/configmaps/big`, { metadata: { labels: { big: String(i) } } })
  expect(await seen).toEqual(['ADDED big', ...Array.from({ length: 27 }, () => 'MODIFIED big')])
  sleeper.resume()
  await cut
})

test('a client that reads gets everything that is there, however much it is', async () => {
  const ns = await api.namespace()
  for (let i = 0; i < 24; i++)
    await api.create(`${ns}/configmaps`, configMap(`big-${i}`, { text: BIG }, { labels: { heap: 'yes' } }))
  await using watch = await api.watch(`${ns}/configmaps?watch=1&labelSelector=heap`)
  await api.create(`${ns}/configmaps`, configMap('last', {}, { labels: { heap: 'yes' } }))
  expect((await watch.lines(25)).at(-1)).toBe('ADDED last')
})
