import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startAllot, temporaryDirectory } from '../../start-allot.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const WORKLOADS = join(ROOT, 'src/apiserver/workload')

test('the server starts and charges a pod although the folder of the workload controllers is deleted', async () => {
  const copy = temporaryDirectory()
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true, filter: (file) => !file.startsWith(WORKLOADS) })
  cpSync(join(ROOT, 'bin'), join(copy, 'bin'), { recursive: true })
  for (const name of ['node_modules', 'schemas', 'package.json']) symlinkSync(join(ROOT, name), join(copy, name))
  mkdirSync(join(copy, 'data'))
  await using allot = await startAllot({ inMemory: true, program: join(copy, 'bin/allot.js') })
  const namespace = '/api/v1/namespaces/default'
  const create = async (kind: string, body: object): Promise<number> =>
    (await allot.call(`${namespace}/${kind}`, { method: 'POST', body })).status
  expect(await create('resourcequotas', { metadata: { name: 'one' }, spec: { hard: { pods: '1' } } })).toBe(201)
  const pod = (name: string): object => ({
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'image' }] },
  })
  expect(await create('pods', pod('first'))).toBe(201)
  expect(await create('pods', pod('second'))).toBe(403)
})
