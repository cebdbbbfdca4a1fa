import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { startAllot } from '../start-allot.ts'
import { findings, run } from './client-program.ts'
import { toolPath } from './tool.ts'

const python = toolPath('python') ?? ''
const WITNESS = fileURLToPath(new URL('python/witness.py', import.meta.url))

/** The promise that a check of `python/witness.py` proves. */
const CHECKS: readonly (readonly [string, string])[] = [
  ['makes, reads, changes, scales and deletes', 'crud'],
  ['lists in pages and by selectors, and deletes a selection', 'list'],
  ['watches, and resumes behind a version', 'watch'],
  ['keeps the cache of an informer up', 'informer'],
  ['patches in every way', 'patch'],
  ['discovers, applies on the side of the server and watches with its dynamic client', 'dynamic'],
  ['defines a kind and uses it as custom objects', 'custom'],
  ['makes objects of several documents of YAML', 'yaml'],
  ['elects a leader over a lease, and the next when the lease has run out', 'lease'],
  ['elects a leader over a config map, and the next when it is not renewed', 'config-map-lock'],
  ['gets the error with code, reason and cause', 'errors'],
]

describe.skipIf(python === '')('the Python client', () => {
  let found: ReadonlyMap<string, string>
  beforeAll(async () => {
    await using allot = await startAllot({ inMemory: true })
    found = findings(await run(python, [WITNESS], allot.kubeconfig))
  })

  test.each(CHECKS)('%s', (_sentence, check) => {
    expect(found.get(check)).toBe('')
  })
})
