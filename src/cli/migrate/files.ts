import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import type { JsonObject } from '../../machinery/object.ts'
import { MigrateError } from '../../migrate/error.ts'
import { systemCode } from '../../runtime/process/startup-error.ts'
import { fileProblem } from '../../runtime/process/unreadable-file.ts'

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
