// The result of a check of a file holds until a file that it depends on changes: a check that passed need not run again.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/** One line of a file at most, so that an apostrophe in a comment hides no string on another line. */
const STRING = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g
const PATH = /^[\w@./-]*[a-z][\w@./-]*$/i
const SOURCE = /\.[cm]?[jt]sx?$/
const TEMPLATE_GAP = '${'

/** The files of a checkout, tracked or new, relative to its root; without what git ignores. Throws outside of git. */
export function checkoutFiles(root: string): readonly string[] {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  })
  if (listed.status !== 0) throw new Error(`git ls-files failed in ${root}: ${String(listed.stderr)}`)
  const isThere = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true
  return [...new Set(String(listed.stdout).split('\0'))].filter((path) => path !== '' && isThere(path))
}

/**
 * The dependencies of each file: a source depends on every file that one of its strings names, relative to it, imports among them. A
 * string that names a folder, or begins a template, stands for all files that begin so.
 */
export class Dependencies {
  readonly #root: string
  /** Relative to the root. */
  readonly files: readonly string[]
  readonly #known: ReadonlySet<string>
  readonly #folders: ReadonlySet<string>
  readonly #named = new Map<string, readonly string[]>()
  readonly #hashes = new Map<string, string>()

  constructor(root: string, files: readonly string[] = checkoutFiles(root)) {
    this.#root = root
    this.files = files
    this.#known = new Set(files)
    this.#folders = new Set(files.flatMap(foldersAbove))
  }

  /** All that the file depends on, itself included, by way of others too; at most so many `steps` away. */
  of(file: string, steps = Infinity): ReadonlySet<string> {
    return reachedFrom([file], steps, (one) => this.#namedIn(one))
  }

  /** These files and all that they import, by way of others too: what their types depend on. */
  importedBy(files: readonly string[]): ReadonlySet<string> {
    return reachedFrom(files, Infinity, (one) => this.importsOf(one))
  }

  /** The file and the sources that it imports itself. */
  importsOf(file: string): readonly string[] {
    if (!SOURCE.test(file)) return [file]
    const specifiers = [...this.#textOf(file).matchAll(STRING)].map(([, , value = '']) => value)
    const imported = specifiers
      .filter((value) => value.startsWith('.') && SOURCE.test(value))
      .map((value) => this.#pathOf(value, file))
    return [file, ...imported.filter((path) => this.#known.has(path))]
  }

  /** A text that changes with the content of any of the files, and with the set of them. */
  keyOf(files: Iterable<string>): string {
    const hash = createHash('sha256')
    for (const file of [...new Set(files)].toSorted()) hash.update(`${file} ${this.#hashOf(file)}\n`)
    return hash.digest('base64')
  }

  #hashOf(file: string): string {
    const known = this.#hashes.get(file)
    if (known !== undefined) return known
    const hash = createHash('sha256')
      .update(readFileSync(join(this.#root, file)))
      .digest('base64')
    this.#hashes.set(file, hash)
    return hash
  }

  #namedIn(file: string): readonly string[] {
    if (!SOURCE.test(file)) return []
    const known = this.#named.get(file)
    if (known !== undefined) return known
    const named = [
      ...new Set([...this.#textOf(file).matchAll(STRING)].flatMap(([, , value = '']) => this.#standsFor(value, file))),
    ]
    this.#named.set(file, named)
    return named
  }

  #standsFor(value: string, inFile: string): readonly string[] {
    const gap = value.indexOf(TEMPLATE_GAP)
    const begin = gap < 0 ? value : value.slice(0, gap)
    if (!PATH.test(begin) && !(gap > 0 && begin.startsWith('.'))) return []
    const path = this.#pathOf(begin, inFile)
    if (gap < 0 && this.#known.has(path)) return [path]
    if (gap < 0 && !this.#folders.has(path)) return []
    const prefix = gap < 0 || begin.endsWith('/') ? (path === '' ? '' : `${path}${sep}`) : path
    return this.files.filter((one) => one.startsWith(prefix))
  }

  #textOf(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8')
  }

  #pathOf(specifier: string, inFile: string): string {
    return relative(this.#root, resolve(this.#root, dirname(inFile), specifier))
  }
}

function reachedFrom(
  files: readonly string[],
  steps: number,
  nextOf: (file: string) => readonly string[],
): ReadonlySet<string> {
  const all = new Set(files)
  let reached = files
  for (let step = 0; step < steps && reached.length > 0; step += 1) {
    reached = [...new Set(reached.flatMap(nextOf))].filter((file) => !all.has(file))
    for (const file of reached) all.add(file)
  }
  return all
}

function foldersAbove(file: string): readonly string[] {
  const parts = file.split(sep)
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(sep))
}

/** Which keys passed which check, kept in a file of its own from run to run. */
export class PassedKeys {
  readonly #file: string
  readonly #passed: Record<string, Record<string, string>>

  /** One that cannot be read is as one that is not there. */
  constructor(file: string) {
    this.#file = file
    this.#passed = existsSync(file) ? readKeys(file) : {}
  }

  has(check: string, subject: string, key: string): boolean {
    return this.get(check, subject) === key
  }

  /** The key with which the subject passed the check last. */
  get(check: string, subject: string): string | undefined {
    return this.#passed[check]?.[subject]
  }

  /** Keeps for the next runs that the subject passed the check with this key. */
  add(check: string, subject: string, key: string): void {
    ;(this.#passed[check] ??= {})[subject] = key
  }

  /** The subject has failed: it does not pass with any key that is known. */
  forget(check: string, subject: string): void {
    delete this.#passed[check]?.[subject]
  }

  /** Writes what was added. Two runs at a time leave what one of them knew. */
  save(): void {
    mkdirSync(dirname(this.#file), { recursive: true })
    const unfinished = `${this.#file}.${process.pid}`
    writeFileSync(unfinished, JSON.stringify(this.#passed))
    renameSync(unfinished, this.#file)
  }
}

function readKeys(file: string): Record<string, Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>
  } catch {
    return {}
  }
}
