import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { hookedServer } from '../admission/hooked-server.ts'

/** Between the list of a deletecollection and its deletes objects go, and others of the same names are made. */
const hooked = hookedServer()

const OPTIONS = { apiVersion: 'v1', kind: 'DeleteOptions' }
const uidOf = (name: string): string | undefined =>
  hooked.server.store.latest('configmaps', `${hooked.ns}/${name}`)?.object.metadata.uid

/** Deletes a config map of this test beneath admission. */
const vanish = async (name: string): Promise<void> => {
  await hooked.server.store.commit([{ type: 'delete', bucket: 'configmaps', key: `${hooked.ns}/${name}` }])
}

/** Stores another config map of the same name. */
const remake = async (name: string): Promise<void> => {
  const { store } = hooked.server
  const metadata = { name, namespace: hooked.ns, uid: randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z' }
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata }
  await store.commit([{ type: 'put', bucket: 'configmaps', key: `${hooked.ns}/${name}`, object }])
}

/** Does something the first time that the webhook is asked about the deletion of an object. */
function onDeleteOf(name: string, act: () => void | Promise<void>): void {
  let isDone = false
  hooked.answer = ({ request }) => {
    if (request['operation'] === 'DELETE' && request.name === name && !isDone) {
      isDone = true
      void act()
    }
    return { allowed: true }
  }
}

beforeEach(async () => {
  hooked.answer = () => ({ allowed: true })
  await hooked.register('validating', { failurePolicy: 'Fail' })
  for (const name of ['a', 'b', 'c']) await hooked.create(name, { labels: { old: 'yes' } })
})

const deleteOld = (body?: object): ReturnType<typeof hooked.server.send> =>
  hooked.server.send('DELETE', `${hooked.maps()}?labelSelector=old`, body)

test('a deletecollection passes over an object that goes meanwhile', async () => {
  onDeleteOf('b', () => vanish('b'))
  expect(await deleteOld()).toMatchObject({ status: 200, body: { kind: 'ConfigMapList' } })
  expect(['a', 'b', 'c'].map(uidOf)).toEqual([undefined, undefined, undefined])
})

test('a deletecollection leaves alone another object that has taken the name of one that it listed', async () => {
  onDeleteOf('b', async () => {
    await vanish('b')
    await remake('b')
  })
  expect(await deleteOld()).toMatchObject({ status: 200, body: { kind: 'ConfigMapList' } })
  expect([uidOf('a'), uidOf('c')]).toEqual([undefined, undefined])
  expect(uidOf('b')).toBeDefined()
})

test('a deletecollection passes over an object that goes, and is made anew as soon as it has gone', async () => {
  const { store } = hooked.server
  const watch = store.watch({ bucket: 'configmaps' }, ({ type, record }) => {
    if (type === 'deleted' && record.key === `${hooked.ns}/b`) void remake('b')
  })
  onDeleteOf('b', () => vanish('b'))
  expect(await deleteOld()).toMatchObject({ status: 200 })
  watch.close()
  expect([uidOf('a'), uidOf('c')]).toEqual([undefined, undefined])
  expect(uidOf('b')).toBeDefined()
})

test('two deletecollections of the same objects both succeed', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => deleteOld()))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
})

test('a deletecollection still fails with what its own precondition or a webhook refuses', async () => {
  const preconditions = { uid: randomUUID() }
  expect(await deleteOld({ ...OPTIONS, preconditions })).toMatchObject({ status: 409, body: { reason: 'Conflict' } })
  hooked.answer = ({ request }) => ({ allowed: request.name !== 'b' })
  expect((await deleteOld()).status).toBe(400)
  expect(uidOf('b')).toBeDefined()
})
