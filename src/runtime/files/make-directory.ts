import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a directory for its owner only, and those above it that are missing. Gives the topmost that was made, undefined
 * when it was there. Throws the system's error. (Node's own recursive mkdir never ends where a file system, as `/proc`,
 * says ENOENT of a directory that is there.)
 */
export function makeDirectory(path: string): string | undefined {
  const target = resolve(path)
  const missing: string[] = []
  for (let at = target; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  for (const directory of missing.toReversed()) {
    try {
      mkdirSync(directory, { mode: 0o700 })
    } catch (error) {
      // Somebody else may have been faster.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
  if (missing.length === 0) mkdirSync(target, { recursive: true, mode: 0o700 }) // throws when it is not a directory
  return missing.at(-1)
}
