import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { launch, temporaryDirectory } from '../start-allot.ts'

/** A clone with a cache of its own. */
const clone = temporaryDirectory()
const modules = join(clone, 'node_modules')
const kept = join(modules, '.cache/allot')

beforeAll(() => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  for (const part of ['bin', 'src', 'package.json']) cpSync(join(root, part), join(clone, part), { recursive: true })
  mkdirSync(modules)
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.cache')) symlinkSync(join(root, 'node_modules', name), join(modules, name))
})

async function version(): Promise<string> {
  // The tests name a folder for what Node makes of their sources; a user does not.
  const { NODE_COMPILE_CACHE: _ours, ...environment } = process.env
  const { output, logs, exited } = launch(['version'], join(clone, 'bin/allot.js'), environment)
  await exited
  return output() + logs()
}

test('the code that Node compiles of a clone is kept for the next start', async () => {
  const first = await version()
  expect(first).toMatch(/^\d+\.\d+\.\d+/)
  expect(readdirSync(kept, { recursive: true }).length).toBeGreaterThan(3)
  expect(await version()).toBe(first)
})

test('a change of the source counts at once', async () => {
  writeFileSync(join(clone, 'src/cli/main.ts'), `export const main = (): void => console.log('changed')\n`)
  expect(await version()).toBe('changed\n')
})

test('where nothing can be kept, the program starts all the same', async () => {
  rmSync(kept, { recursive: true, force: true })
  rmSync(join(modules, '.cache'), { recursive: true, force: true })
  writeFileSync(join(modules, '.cache'), 'a file')
  expect(await version()).toBe('changed\n')
  expect(existsSync(kept)).toBe(false)
})
