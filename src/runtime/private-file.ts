import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { systemCode } from './startup-error.ts'

/**
 * Replaces a file by one that only its owner may read (mode 0600, whatever the umask). Whoever reads it sees the old text
 * or the new one, also after a crash. Throws what the file system throws; then the old file is unchanged.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      writeSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** The text of a file; undefined when there is none. Throws what else the file system throws. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
