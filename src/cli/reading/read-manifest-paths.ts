import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../../machinery/object.ts'
import { readFiles } from '../migrate/migrate-files.ts'

const MANIFEST = /\.(?:ya?ml|json)$/

/**
 * The objects of files and folders, `-` for standard input; of a folder those of its YAML and JSON files, in the order of their names. `flag`: that names them. An object may have
 * `generateName` in place of a name.
 * Throws MigrateError.
 */
export async function readManifestPaths(paths: readonly string[], flag?: string): Promise<readonly KubeObject[]> {
  return await readFiles(paths.flatMap(filesOf), flag, { mayBeNameless: true })
}

function filesOf(path: string): readonly string[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder) return [path]
  return readdirSync(path)
    .filter((name) => MANIFEST.test(name))
    .toSorted()
    .map((name) => join(path, name))
}
