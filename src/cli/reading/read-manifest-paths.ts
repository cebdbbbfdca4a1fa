import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { KubeObject } from '../../machinery/object.ts'
import { compareText } from '../../machinery/text/compare.ts'
import { MigrateError } from '../../migrate/error.ts'
import { type ManifestOptions, placedManifests, type PlacedManifest } from '../../migrate/read-manifests.ts'
import { unreadableFile } from '../../runtime/process/unreadable-file.ts'

/** What kubectl takes for manifests in a folder. */
const MANIFEST = /\.(?:ya?ml|json)$/
const STANDARD_INPUT = '-'

export interface PathOptions extends ManifestOptions {
  /** What names the paths, such as `--filename`. */
  readonly flag?: string
  /** Are the folders in a folder read, too? */
  readonly isRecursive?: boolean
}

/** The objects of paths, as `readPlacedPaths` reads them. Throws MigrateError. */
export const readManifestPaths = async (
  paths: readonly string[],
  options: PathOptions = {},
): Promise<readonly KubeObject[]> => (await readPlacedPaths(paths, options)).map(({ object }) => object)

/**
 * Reads the objects of files and folders with the place of each; `-` is standard input. From a folder it reads the YAML
 * and JSON files in the order of their names. Throws MigrateError for a path that cannot be read, a folder without
 * manifests, and standard input that has been read already.
 */
export async function readPlacedPaths(
  paths: readonly string[],
  { flag, isRecursive = false, ...options }: PathOptions = {},
): Promise<readonly PlacedManifest[]> {
  const manifests: PlacedManifest[] = []
  for (const path of paths)
    for (const file of filesOf(path, isRecursive, flag)) {
      const name = file === STANDARD_INPUT ? 'standard input' : file
      manifests.push(...placedManifests(name, await textOf(file, flag), options))
    }
  return manifests
}

function filesOf(path: string, isRecursive: boolean, flag: string | undefined): readonly string[] {
  if (path === STANDARD_INPUT || !isFolder(path)) return [path]
  const files = manifestsIn(path, isRecursive, flag)
  if (files.length > 0) return files
  const from = flag === undefined ? '' : ` (from ${flag})`
  const advice = isRecursive ? '' : ', or have the folders in it read with --recursive'
  throw new MigrateError(
    `the folder ${path}${from} has no manifests`,
    `give a folder with files that end in .yaml, .yml or .json${advice}`,
  )
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Symbolic links to folders are not followed: they may lead in a circle. */
function manifestsIn(folder: string, isRecursive: boolean, flag: string | undefined): readonly string[] {
  return entriesIn(folder, flag).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isRecursive ? manifestsIn(path, true, flag) : []
    return MANIFEST.test(entry.name) ? [path] : []
  })
}

function entriesIn(folder: string, flag: string | undefined): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => compareText(a.name, b.name))
  } catch (error) {
    throw new MigrateError(unreadableFile(folder, error, flag), 'give a folder that you can read')
  }
}

/** Standard input may be a pipe whose writer is slow, which a synchronous read does not wait for. */
async function textOf(file: string, flag: string | undefined): Promise<string> {
  if (file !== STANDARD_INPUT)
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw new MigrateError(unreadableFile(file, error, flag), 'give a file that you can read')
    }
  if (process.stdin.readableEnded)
    throw new MigrateError('standard input (-) is named twice', 'name it once, and give files for the rest')
  return await text(process.stdin)
}
