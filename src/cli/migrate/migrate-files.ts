import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { stringify } from 'yaml'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { MigrateError } from '../../migrate/migrate-error.ts'
import { type ManifestOptions, placedManifests, type PlacedManifest } from '../../migrate/read-manifests.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { fileProblem, unreadableFile } from '../../runtime/process/unreadable-file.ts'

const STANDARD_INPUT = '-'

/** The objects of files, `-` for standard input. `flag`: that names them. Throws MigrateError. */
export const readFiles = async (
  files: readonly string[],
  flag?: string,
  options?: ManifestOptions,
): Promise<readonly KubeObject[]> => (await readPlacedFiles(files, flag, options)).map(({ object }) => object)

/** As `readFiles`, with where each object stands. Throws MigrateError. */
export async function readPlacedFiles(
  files: readonly string[],
  flag?: string,
  options?: ManifestOptions,
): Promise<readonly PlacedManifest[]> {
  const manifests: PlacedManifest[] = []
  for (const file of files)
    manifests.push(
      ...placedManifests(file === STANDARD_INPUT ? 'standard input' : file, await textOf(file, flag), options),
    )
  return manifests
}

/** Standard input may be a pipe whose writer is slow, which a synchronous read does not wait for. */
async function textOf(file: string, flag: string | undefined): Promise<string> {
  try {
    return file === STANDARD_INPUT ? await text(process.stdin) : readFileSync(file, 'utf8')
  } catch (error) {
    throw new MigrateError(unreadableFile(file, error, flag), 'give a file that you can read')
  }
}

/** Writes the file that the flag names. Throws MigrateError. */
export function writeFile(file: string, flag: string, content: string): void {
  try {
    writeFileSync(file, content)
  } catch (error) {
    const why = systemCode(error) === 'ENOENT' ? 'its folder does not exist' : fileProblem(error)
    throw new MigrateError(`cannot write ${file} (from ${flag}): ${why}`, 'give a file that you can write')
  }
}

/** Objects as a text of YAML documents. */
export function manifestText(objects: readonly JsonObject[]): string {
  const texts = objects.map((object) =>
    stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' }),
  )
  return texts.length === 0 ? '' : `---\n${texts.join('---\n')}`
}
