import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { builtProgram, keyOfSources } from '../built-program.ts'
import { PROGRAM } from '../start-allot.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('the program that tests start', () => {
  const says = (program: string, ...args: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' })

  test.each([['version'], ['up', '--help'], ['run', '--help']])('says what the sources say: %s', (...args) => {
    expect(builtProgram()).not.toBe(PROGRAM)
    expect(says(builtProgram(), ...args)).toBe(says(PROGRAM, ...args))
  })

  test.each([
    ['a source', 'src/a.ts', true],
    ['a source that is new', 'src/b/c.ts', true],
    ['what it is installed with', 'package-lock.json', true],
    ['how it is built', 'scripts/artefacts/one-build.ts', true],
    ['what it reads', 'schemas/a.json', true],
    ['a test', 'src/a.test.ts', false],
    ['a document', 'README.md', false],
  ])('is built again after a change of %s: %s, %s', (_, file, expected) => {
    const root = mkdtempSync(join(tmpdir(), 'allot-sources-'))
    for (const one of [
      'bin/allot.js',
      'package-lock.json',
      'scripts/artefacts/build-program.ts',
      'scripts/artefacts/one-build.ts',
    ])
      cpSync(join(ROOT, one), join(root, one))
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/a.ts'), '')
    const before = keyOfSources(root)
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'changed')
    expect(keyOfSources(root) !== before).toBe(expected)
    rmSync(root, { recursive: true })
  })
})
