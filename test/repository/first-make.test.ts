import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../start-allot.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('the first make says that it installs and how long that may take, and the next says nothing', () => {
  const clone = temporaryDirectory()
  for (const folder of ['toolchain', 'bin']) mkdirSync(join(clone, folder))
  for (const file of ['Makefile', 'package.json', 'package-lock.json', 'toolchain/package.json'])
    copyFileSync(join(ROOT, file), join(clone, file))
  // Nothing is installed: that is npm's part.
  const npm = join(clone, 'bin', 'npm')
  writeFileSync(npm, '#!/bin/sh\nmkdir -p node_modules\n')
  chmodSync(npm, 0o755)
  const env = { ...process.env, PATH: `${join(clone, 'bin')}:${process.env['PATH'] ?? ''}` }
  const make = (): string =>
    execFileSync('make', ['--no-print-directory', 'install'], { cwd: clone, env, encoding: 'utf8' })
  expect(make()).toMatch(/^Installing .*npm ci.* about a minute, once\.\n$/)
  expect(make()).not.toContain('Installing')
})
