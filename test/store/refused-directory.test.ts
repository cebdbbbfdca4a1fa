import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../src/cli/allot-program.ts'
import { RESERVE_BYTES } from '../../src/cli/up/open-store.ts'
import { formatVersion } from '../../src/store/log/format.ts'
import { startAllot } from '../start-allot.ts'
import { stateOfDirectory } from './directory-state.ts'

let root = ''
/** As `allot up` leaves it when it is killed. */
let killed = ''
/** The names in it while it runs and after it was stopped. */
let names: readonly string[] = []
/** The size of the reserve when the server was ready, and whether all of it took room. */
let reserved: readonly [number, boolean] = [0, false]

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'allot-refused-'))
  killed = join(root, 'killed')
  const allot = await startAllot({ dataDir: killed })
  const { size, blocks } = statSync(join(killed, 'store.reserve'), { throwIfNoEntry: false }) ?? { size: 0, blocks: 0 }
  reserved = [size, blocks * 512 >= size]
  names = readdirSync(killed)
  await allot.kill9()
})

afterAll(() => rmSync(root, { recursive: true }))

function copy(): string {
  const directory = mkdtempSync(join(root, 'copy-'))
  cpSync(killed, directory, { recursive: true, preserveTimestamps: true })
  return directory
}

interface Refusal {
  readonly directory: string
  readonly code: number
  readonly stderr: string
}

/** Starts in each directory, in one process, which is killed when a start hangs. */
function startIn(...directories: readonly string[]): readonly Refusal[] {
  const script = join(import.meta.dirname, 'refused-starts.ts')
  const { stdout } = spawnSync(process.execPath, [script, ...directories], { encoding: 'utf8', timeout: 60_000 })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Refusal)
}

async function up(
  directory: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let [stdout, stderr] = ['', '']
  const code = await runProgram(['up', '--port', '0', '--no-operator', '--data-dir', directory], {
    out: (text) => (stdout += text),
    err: (text) => (stderr += text),
    environment: {},
    stop: new AbortController().signal,
  })
  return { code, stdout, stderr }
}

/** Changes the database as another process would, without its log. */
function sql(directory: string, statement: string): void {
  const database = new DatabaseSync(join(directory, 'store.db'))
  database.exec(statement)
  database.close()
}

function flip(path: string, at: (bytes: Buffer) => number): void {
  const bytes = readFileSync(path)
  const place = at(bytes)
  bytes.writeUInt8(bytes.readUInt8(place) ^ 4, place)
  writeFileSync(path, bytes)
}

describe('a start that is refused leaves every byte and time of the directory as it was [security/refused-directory]', () => {
  test.each<[string, string, (directory: string) => void]>([
    [
      'the store has a newer format and transactions in its log',
      `has format ${formatVersion + 1}`,
      (directory) => {
        sql(directory, `PRAGMA user_version = ${formatVersion + 1}`)
        const database = new DatabaseSync(join(directory, 'store.db'))
        database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; UPDATE seal SET id = 1`)
        cpSync(join(directory, 'store.db-wal'), join(directory, 'kept'))
        database.close()
        cpSync(join(directory, 'kept'), join(directory, 'store.db-wal'))
        rmSync(join(directory, 'kept'))
      },
    ],
    ['the log is missing', '--accept-lost-writes', (directory) => rmSync(join(directory, 'store.db-wal'))],
    ['the mark is missing', '--accept-lost-writes', (directory) => rmSync(join(directory, 'store.mark'))],
    ['the log is cut', 'ends too early', (directory) => truncateSync(join(directory, 'store.db-wal'), 9000)],
    [
      'the log is broken inside',
      'broken in the middle',
      (directory) => flip(join(directory, 'store.db-wal'), () => 50),
    ],
    ['the database is missing', 'store.db is missing', (directory) => rmSync(join(directory, 'store.db'))],
    ['the database is empty', 'is empty', (directory) => truncateSync(join(directory, 'store.db'), 0)],
    [
      'a text of the database is damaged',
      'is damaged',
      (directory) => {
        sql(directory, 'UPDATE log SET text = text || 1 WHERE revision = 3; PRAGMA wal_checkpoint')
      },
    ],
    [
      'the database is of another program',
      'is not a store of allot',
      (directory) => {
        for (const name of readdirSync(directory)) rmSync(join(directory, name))
        sql(directory, 'CREATE TABLE bookmarks (url TEXT)')
      },
    ],
    [
      'the token is unusable',
      'holds no usable token',
      (directory) => writeFileSync(join(directory, 'admin.token'), ''),
    ],
    [
      'a key is not that of its certificate',
      'holds no private key',
      (directory) => writeFileSync(join(directory, 'ca.key'), 'x'),
    ],
    [
      'the kubeconfig is of another cluster',
      'was not written by allot',
      (directory) => writeFileSync(join(directory, 'kubeconfig'), 'a: 1'),
    ],
  ])('because %s', async (_, says, harm) => {
    const directory = copy()
    harm(directory)
    const before = stateOfDirectory(directory)
    const { code, stdout, stderr } = await up(directory)
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)])
    expect(stdout).not.toContain('state is kept')
    expect(stateOfDirectory(directory)).toEqual(before)
  })
})

test('no file of the directory is opened unless it is a regular one [security/refused-directory]', async () => {
  const all = new Set([...names, 'kubeconfig.starting', 'store.db-shm', 'store.db-journal', 'allot.lock-journal'])
  // The files that the next start opens must be among them: those that the last one left, and those that SQLite looks for.
  expect([...all]).toEqual(
    expect.arrayContaining(['admin.token', 'allot.lock', 'store.mark', 'store.db-wal', 'ca.key']),
  )
  const directories = Array.from(all, (name) => {
    const directory = copy()
    rmSync(join(directory, name), { force: true })
    spawnSync('mkfifo', [join(directory, name)])
    return { directory, name }
  })
  const refusals = startIn(...directories.map(({ directory }) => directory))
  const found = refusals.map(({ code, stderr }) => [code, stderr.trim().split('\n').length, stderr])
  expect(found).toEqual(
    directories.map(({ directory, name }) => [
      1,
      1,
      expect.stringContaining(`${join(directory, name)} is a FIFO, not a regular file`),
    ]),
  )
})

test.each<[string, string, (path: string) => void]>([
  ['directory', 'store.db-wal', (path) => mkdirSync(path)],
  ['device', 'ca.crt', (path) => symlinkSync('/dev/zero', path)],
  [
    'socket',
    'admin.token',
    (path) =>
      spawnSync(process.execPath, [
        '-e',
        `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`,
        path,
      ]),
  ],
])('a %s in the place of %s is refused', async (type, name, make) => {
  const directory = copy()
  rmSync(join(directory, name))
  make(join(directory, name))
  const { code, stderr } = await up(directory)
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${name} is a ${type}, not a regular file`)])
})

test('a directory whose log was lost starts when that is asked for, and says so in its log', async () => {
  const directory = copy()
  rmSync(join(directory, 'store.db-wal'))
  const allot = await startAllot({ dataDir: directory, args: ['--accept-lost-writes'] })
  expect(allot.logs()).toContain('store.db-wal is missing')
  expect(await allot.stop()).toBe(0)
  expect(allot.output()).toContain('state is kept in')
})

test('room for deletions is kept before the server reports that it is ready', () => {
  expect(reserved).toEqual([RESERVE_BYTES, true])
})

test('the reference says how much of the disk is kept for deletions', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/reference/allot-up.md'), 'utf8')
  expect(text).toContain(`| \`store.reserve\` | ${RESERVE_BYTES / 1024 / 1024} MiB kept for deletions`)
})
