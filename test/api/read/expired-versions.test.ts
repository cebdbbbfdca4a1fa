import { expect, test } from 'vitest'
import { apiServer, namesOf } from '../api-server.ts'

/** Twenty events are all that is remembered: enough for one test's present, too few for its past. */
const api = apiServer({ store: { historyEvents: 20 } })

async function forget(ns: string): Promise<void> {
  for (let i = 0; i < 12; i++) {
    await api.create(`${ns}/secrets`, { metadata: { name: 'filler' } })
    await api.send('DELETE', `${ns}/secrets/filler`)
  }
}

test('a page behind the history is answered with 410 and a token that goes on from the present', async () => {
  const ns = await api.namespace()
  for (const name of ['a', 'b', 'c', 'd']) await api.create(`${ns}/secrets`, { metadata: { name } })
  const first = await api.get(`${ns}/secrets?limit=2`)
  await api.send('DELETE', `${ns}/secrets/c`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'e' } })
  await forget(ns)
  const { status, body } = await api.send('GET', `${ns}/secrets?limit=2&continue=${first.metadata.continue}`)
  expect([status, body.reason]).toEqual([410, 'Expired'])
  expect(body.message).toMatch(
    /^The provided continue parameter is too old to display a consistent list result\. You can start a new list/,
  )
  const rest = await api.get(`${ns}/secrets?limit=9&continue=${body.metadata.continue}`)
  expect(namesOf(rest)).toEqual(['d', 'e'])
})

test('a list at an exact version behind the history is answered with 410', async () => {
  const ns = await api.namespace()
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await forget(ns)
  const { status, body } = await api.send(
    'GET',
    `${ns}/secrets?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
  )
  expect([status, body.reason]).toEqual([410, 'Expired'])
  expect(body.message).toMatch(new RegExp(`^too old resource version: ${resourceVersion} \\(\\d+\\)$`))
})

test('a version behind the history still does as a lower bound', async () => {
  const ns = await api.namespace()
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await forget(ns)
  expect((await api.send('GET', `${ns}/secrets?resourceVersion=${resourceVersion}`)).status).toBe(200)
})

test('a watch from behind the history begins with an ERROR event and ends', async () => {
  const ns = await api.namespace()
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await forget(ns)
  await using watch = await api.watch(`${ns}/secrets?watch=1&resourceVersion=${resourceVersion}`)
  expect(watch.status).toBe(200)
  const events = await watch.rest()
  expect(events).toMatchObject([
    { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', status: 'Failure' } },
  ])
  expect(events[0]?.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/)
})

test('a watch goes on from the version that an ERROR made its client list', async () => {
  const ns = await api.namespace()
  await forget(ns)
  const { resourceVersion } = (await api.get(`${ns}/secrets`)).metadata
  await using watch = await api.watch(`${ns}/secrets?watch=1&resourceVersion=${resourceVersion}`)
  await api.create(`${ns}/secrets`, { metadata: { name: 'new' } })
  expect(await watch.lines(1)).toEqual(['ADDED new'])
})

test('a client that is up to date with a quiet kind goes on, however much is written to others', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/configmaps`, { metadata: { name: 'a' } })
  await api.create(`${ns}/configmaps`, { metadata: { name: 'b' } })
  const page = await api.get(`${ns}/configmaps?limit=1`)
  await forget(ns)
  const rest = await api.get(`${ns}/configmaps?limit=1&continue=${page.metadata.continue}`)
  expect(namesOf(rest)).toHaveLength(1)
  await using watch = await api.watch(`${ns}/configmaps?watch=1&resourceVersion=${page.metadata.resourceVersion}`)
  await api.create(`${ns}/configmaps`, { metadata: { name: 'new' } })
  expect(await watch.lines(1)).toEqual(['ADDED new'])
})

test('so does one of a quiet namespace of a busy kind', async () => {
  const [quiet, busy] = [await api.namespace(), await api.namespace()]
  await api.create(`${quiet}/secrets`, { metadata: { name: 'a' } })
  const { resourceVersion } = (await api.get(`${quiet}/secrets`)).metadata
  await forget(busy)
  await using watch = await api.watch(`${quiet}/secrets?watch=1&resourceVersion=${resourceVersion}`)
  await api.create(`${quiet}/secrets`, { metadata: { name: 'new' } })
  expect(await watch.lines(1)).toEqual(['ADDED new'])
})
