import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../../in-process.ts'

const YAML = { 'content-type': 'application/yaml' }
const MAPS = '/api/v1/namespaces/default/configmaps'

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
})
afterAll(() => server.stop())

test('a large YAML body is stored as it says', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `  k${index}: "v${index}"`)
  const { status, body } = await server.send(
    'POST',
    MAPS,
    ['metadata: {name: large}', 'data:', ...lines].join('\n'),
    YAML,
  )
  expect([status, Object.keys(body.data).length, body.data.k19999]).toEqual([201, 20_000, 'v19999'])
})

test('a large YAML body with a mistake is refused with its line', async () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `  k${index}: v`)
  const { status, body } = await server.send(
    'POST',
    MAPS,
    ['metadata: {name: wrong}', 'data:', ...lines, '  bad: [1, 2', '  k: v'].join('\n'),
    YAML,
  )
  expect([status, body.message]).toEqual([
    400,
    expect.stringMatching(/^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line 500\d: /),
  ])
})

test('while one that takes long is read, others are answered', async () => {
  let done = false
  const slow = server.send('POST', MAPS, `a: [${'{a: 1},'.repeat(200_000)}]`, YAML).finally(() => (done = true))
  const answers = []
  for (let n = 0; n < 20; n++) answers.push((await server.send('GET', '/livez')).status)
  expect([done, new Set(answers)]).toEqual([false, new Set([200])])
  expect([201, 400, 413, 422]).toContain((await slow).status)
})
