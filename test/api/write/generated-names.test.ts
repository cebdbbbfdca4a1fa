import { expect, test } from 'vitest'
import { apiServer, configMap } from '../api-server.ts'

/** Chance as a list of what comes next; five numbers make a name. */
let draws: number[] = []
const api = apiServer({ random: () => draws.shift() ?? 0 })

test('a generated name that is taken is made anew', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/configmaps`, configMap('x-bbbbb'))
  draws = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.999]
  expect((await api.create(`${ns}/configmaps`, { metadata: { generateName: 'x-' } })).metadata.name).toBe('x-bbbb9')
})

test('after eight attempts the server gives up, and says when to try again', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/configmaps`, configMap('x-bbbbb'))
  draws = Array.from({ length: 35 }, () => 0)
  draws.push(0.999, 0.999, 0.999, 0.999, 0.999)
  expect((await api.create(`${ns}/configmaps`, { metadata: { generateName: 'x-' } })).metadata.name).toBe('x-99999')
  const { status, body, headers } = await api.send('POST', `${ns}/configmaps`, { metadata: { generateName: 'x-' } })
  expect([status, body.reason, headers.get('retry-after')]).toEqual([409, 'AlreadyExists', '1'])
  expect(body.message).toBe(
    'configmaps "x-bbbbb" already exists, the server was not able to generate a unique name for the object',
  )
})
