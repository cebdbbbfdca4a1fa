import { readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** Most files that a folder holds without an order of its own; the tests beside the sources of a folder are not counted. */
const MOST_FILES = 25
/** Names that may stand twice, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'vitest.config.ts': 'vitest looks for this name; the mutation tests have a configuration of their own',
}
/** A benchmark of `bench` may have the name of the part that it measures. */
const BENCHMARKS = 'bench/'
const ROOMS = ['src', 'test', 'scripts', 'bench']

/** The names of files that stand twice among `files`, and the folders among them that are too full, a line each. */
export function nameViolations(files: readonly string[]): readonly string[] {
  const [benchmarks, others] = [true, false].map((isBenchmark) =>
    files.filter((file) => file.startsWith(BENCHMARKS) === isBenchmark),
  )
  return [...repeatedNames(others ?? []), ...repeatedNames(benchmarks ?? []), ...fullFolders(files)]
}

function repeatedNames(files: readonly string[]): readonly string[] {
  return [...Map.groupBy(files, (file) => basename(file))]
    .filter(([name, named]) => named.length > 1 && ACCEPTED[name] === undefined)
    .map(([name, named]) => `${name} stands at ${named.toSorted().join(' and ')}: a name says which part it belongs to`)
}

function fullFolders(files: readonly string[]): readonly string[] {
  const counted = files.filter((file) => !(file.startsWith('src/') && file.endsWith('.test.ts')))
  return [...Map.groupBy(counted, dirname)]
    .filter(([, within]) => within.length > MOST_FILES)
    .map(
      ([folder, within]) =>
        `${folder} holds ${within.length} files: more than ${MOST_FILES} need an order of their own`,
    )
}

/** The TypeScript files of the repository, below its root. */
export function repositoryFiles(root: string): readonly string[] {
  return [
    ...readdirSync(root).filter((name) => name.endsWith('.ts')),
    ...ROOMS.flatMap((room) => typeScriptFiles(join(root, room)).map((file) => join(room, file))),
  ]
}

/** The TypeScript files below a folder, relative to it. */
export function typeScriptFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
