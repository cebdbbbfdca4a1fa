import { readFileSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { MigrateError } from '../../migrate/migrate-error.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'

const STANDARD_INPUT = '-'
const STDIN_DESCRIPTOR = 0

/** The objects of files, `-` for standard input. Throws MigrateError. */
export function readFiles(files: readonly string[]): readonly KubeObject[] {
  return files.flatMap((file) => readManifests(file === STANDARD_INPUT ? 'standard input' : file, textOf(file)))
}

function textOf(file: string): string {
  try {
    return readFileSync(file === STANDARD_INPUT ? STDIN_DESCRIPTOR : file, 'utf8')
  } catch (error) {
    throw new MigrateError(`cannot read ${file}: ${systemCode(error)}`, 'give a file that you can read')
  }
}

/** Throws MigrateError. */
export function writeFile(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new MigrateError(`cannot write ${file}: ${systemCode(error)}`, 'give a file that you can write')
  }
}

/** Objects as a text of YAML documents. */
export function manifestText(objects: readonly JsonObject[]): string {
  const texts = objects.map((object) =>
    stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' }),
  )
  return texts.length === 0 ? '' : `---\n${texts.join('---\n')}`
}
