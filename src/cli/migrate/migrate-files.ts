import { readFileSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { MigrateError } from '../../migrate/migrate-error.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { fileProblem, unreadableFile } from '../../runtime/process/unreadable-file.ts'

const STANDARD_INPUT = '-'
const STDIN_DESCRIPTOR = 0

/** The objects of files, `-` for standard input. `flag`: that names them. Throws MigrateError. */
export function readFiles(files: readonly string[], flag?: string): readonly KubeObject[] {
  return files.flatMap((file) => readManifests(file === STANDARD_INPUT ? 'standard input' : file, textOf(file, flag)))
}

function textOf(file: string, flag: string | undefined): string {
  try {
    return readFileSync(file === STANDARD_INPUT ? STDIN_DESCRIPTOR : file, 'utf8')
  } catch (error) {
    throw new MigrateError(unreadableFile(file, error, flag), 'give a file that you can read')
  }
}

/** Writes the file that the flag names. Throws MigrateError. */
export function writeFile(file: string, flag: string, text: string): void {
  try {
    writeFileSync(file, text)
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
