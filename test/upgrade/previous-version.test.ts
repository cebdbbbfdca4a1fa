import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { KubeObject } from '../../src/machinery/object.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { previousVersion } from './previous-version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

test('a shallow clone has no previous version, and says what to do', () => {
  const [origin, shallow] = [temporaryDirectory(), temporaryDirectory()]
  git(origin, 'init', '--quiet')
  for (const message of ['first', 'second'])
    git(origin, '-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--allow-empty', '-m', message)
  git(origin, 'clone', '--quiet', '--depth=1', pathToFileURL(origin).href, shallow)
  expect(() => previousVersion(shallow)).toThrow('run `git fetch --unshallow --tags` there')
})

test('the previous version is the newest tag behind the commit that is tested', () => {
  const folder = temporaryDirectory()
  git(ROOT, 'clone', '--quiet', '--no-checkout', '--no-tags', '--shared', ROOT, folder)
  const before = previousVersion(folder).commit
  expect(git(folder, 'rev-list', '--count', `${before}..HEAD`)).not.toBe('0')
  git(folder, 'tag', 'v0.0.1', 'HEAD~2')
  git(folder, 'tag', 'v0.0.2', 'HEAD')
  git(folder, 'tag', 'newest', 'HEAD~1')
  expect(previousVersion(folder).commit).toBe('v0.0.1')
})

test('CRDs that differ from those of the previous version have a later format', () => {
  const { program } = previousVersion()
  const before = join(program, '../../config/crd')
  const now = join(ROOT, 'config/crd')
  const read = (folder: string, file: string): KubeObject => parse(readFileSync(join(folder, file), 'utf8'))
  const formatOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.['allot.dev/format'] ?? 0)
  const files = readdirSync(now)
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    const [old, current] = [existsSync(join(before, file)) ? read(before, file) : undefined, read(now, file)]
    expect([file, formatOf(current)]).toEqual([file, formatOf(read(now, files[0]!))])
    if (JSON.stringify(old?.['spec']) !== JSON.stringify(current['spec']))
      expect([file, formatOf(current)]).toEqual([file, Math.max(formatOf(current), (old ? formatOf(old) : 0) + 1)])
  }
})
