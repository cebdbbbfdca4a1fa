import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The variable that asks for the long forms. */
const ASKED_BY = 'ALLOT_SOAK'
const FOLDERS = ['src', 'test']

/**
 * Returns the test files below `root` that have a long form: they, or the modules that they import directly or through others,
 * read the variable that asks for it. Files that take nothing but a seed from such a module run with a new one each time.
 */
export function longForms(root: string): readonly string[] {
  const sources = new Map(
    FOLDERS.flatMap((folder) => files(join(root, folder))).map((file) => [file, readFileSync(file, 'utf8')]),
  )
  const importers = new Map<string, Set<string>>()
  for (const [file, text] of sources)
    for (const [, path = ''] of text.matchAll(/from '(\.[^']+\.ts)'/g)) {
      const imported = resolve(dirname(file), path)
      const known = importers.get(imported)
      if (known === undefined) importers.set(imported, new Set([file]))
      else known.add(file)
    }
  const asking = new Set([...sources].filter(([, text]) => text.includes(ASKED_BY)).map(([file]) => file))
  // A set that grows while it is walked is walked to its end.
  for (const file of asking) for (const importer of importers.get(file) ?? []) asking.add(importer)
  return [...asking]
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => relative(root, file))
    .toSorted()
}

function files(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return files(path)
    return entry.name.endsWith('.ts') ? [path] : []
  })
}
