import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DataDirectory } from './data-directory.ts'
import { StartupError } from '../process/startup-error.ts'

describe('a data directory', () => {
  let parent: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'allot-directory-'))
  })
  afterEach(() => rmSync(parent, { recursive: true }))

  test('is made for its owner only, with its parents [security/owner-directory]', () => {
    const directory = DataDirectory.open(join(parent, 'a/b'))
    expect(statSync(directory.path).mode & 0o777).toBe(0o700)
    directory.close()
  })

  test('keeps the mode that it was given by others', () => {
    chmodSync(parent, 0o755)
    DataDirectory.open(parent).close()
    expect(statSync(parent).mode & 0o777).toBe(0o755)
  })

  test('is for one process at a time, and names it', () => {
    const directory = DataDirectory.open(parent)
    directory.accept()
    expect(() => DataDirectory.open(parent)).toThrow(
      expect.objectContaining({
        code: 'directory-in-use',
        message: `the data directory ${parent} is in use by process ${process.pid}`,
      }),
    )
    directory.close()
    DataDirectory.open(parent).close()
  })

  test('that cannot be made is refused with the reason', () => {
    writeFileSync(join(parent, 'file'), '')
    expect(() => DataDirectory.open(join(parent, 'file/sub'))).toThrow(StartupError)
  })

  test('replaces files whole and leaves no drafts', () => {
    const directory = DataDirectory.open(parent)
    expect(directory.read('note')).toBeUndefined()
    writeFileSync(directory.file('note'), 'long old text', { mode: 0o644 })
    directory.write('note', 'new')
    expect(directory.read('note')).toBe('new')
    expect(statSync(directory.file('note')).mode & 0o777).toBe(0o600)
    expect(readdirSync(parent).toSorted()).toEqual(['allot.lock', 'note'])
    directory.close()
  })
})
