import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Every name in a directory with what it is, when it was changed and its bytes: equal only where nothing was touched. */
export function stateOfDirectory(directory: string): readonly string[] {
  const names = readdirSync(directory).toSorted()
  const entries = names.map((name) => {
    const path = join(directory, name)
    const { mode, mtimeNs, ino } = lstatSync(path, { bigint: true })
    const bytes = lstatSync(path).isFile() ? readFileSync(path).toString('base64') : ''
    return `${name} ${mode} ${mtimeNs} ${ino} ${bytes}`
  })
  return [`. ${lstatSync(directory).mtime.getTime()}`, ...entries]
}
