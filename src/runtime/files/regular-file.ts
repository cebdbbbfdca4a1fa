import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { systemCode } from '../process/startup-error.ts'

/**
 * Throws an error with the path unless it leads to a regular file or to nothing. Opening a FIFO waits for its other end, and
 * a device may answer anything, so neither is opened.
 */
export function assertRegularFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined) demandFile(path, found)
}

/** The text of a regular file; undefined when there is none. Throws for anything else, and what the file system throws. */
export function readRegularFile(path: string): string | undefined {
  try {
    assertRegularFile(path)
    // A file that is put there in between cannot hold up the call either.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      demandFile(path, fstatSync(descriptor))
      return readFileSync(descriptor, 'utf8')
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function demandFile(path: string, found: Stats): void {
  if (!found.isFile()) throw new Error(`${path} is a ${typeOf(found)}, not a regular file`)
}

function typeOf(found: Stats): string {
  if (found.isDirectory()) return 'directory'
  if (found.isFIFO()) return 'FIFO'
  return found.isSocket() ? 'socket' : 'device'
}
