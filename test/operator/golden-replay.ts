import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Operated } from './operated.ts'

const folder = [new URL('../../../shared/golden/', import.meta.url), new URL('../golden/', import.meta.url)].find(
  existsSync,
)
if (folder === undefined) throw new Error('the golden exchanges are missing; run scripts/refresh-shared')
const replayer = fileURLToPath(new URL('replay.mjs', folder))
/** The conditions and columns that the replayer takes for additions of allot, and those that came after it. */
const OWN = "new Set(['Allocated', 'Waiting For'])"
const OWN_NOW = JSON.stringify([
  'Allocated',
  'Waiting For',
  'Reconciling',
  'Stalled',
  'Claim',
  'Claimed',
  'Hard',
  'Expires',
  'Amounts',
])

export interface Exchange {
  readonly name: string
}

/** Where a file of the recorded data is. */
export const goldenFile = (file: string): URL => new URL(file, folder)

/** A file of the recorded data, such as `pools.json`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says which shape the file has
export const golden = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T

/** The test's word for that all has been read that was to be read in between. */
const READ = 'all-that-was-to-be-read-is-read'
/** A real garbage collector hears of new kinds every 30 s. */
const PATIENCE_S = 60

/** allot has a webhook for each set of namespaces, and a configuration can contain a name once: others begin with `v2.` and so on. */
const OF_ANY_NAMESPACES = ['admission webhook \\"calculation.', 'admission webhook \\"*calculation.'] as const

export interface Break {
  /** The name of an exchange. */
  readonly after: string
  /** Called when it was answered as recorded, or not; the replay goes on when it resolves. `word`: instead of `golden`. */
  readonly read: (word: string) => Promise<void>
}

/**
 * Replays a file of exchanges against a server. Gives what differs from the recorded answers, by the name of the exchange,
 * an empty list where nothing does.
 */
export async function replay(
  server: Operated,
  file: string,
  stop?: Break,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const exchanges = golden<readonly Exchange[]>(file)
  const directory = mkdtempSync(join(tmpdir(), 'allot-golden-'))
  const path = join(directory, file)
  writeFileSync(
    path,
    JSON.stringify(exchanges.flatMap((one) => (one.name === stop?.after ? [one, gate(file)] : [one]))).replaceAll(
      ...OF_ANY_NAMESPACES,
    ),
  )
  const program = readFileSync(replayer, 'utf8')
  if (!program.includes(OWN)) throw new Error('the replayer names the additions of allot otherwise')
  const own = join(directory, 'replay.mjs')
  writeFileSync(own, program.replace(OWN, `new Set(${OWN_NOW})`))
  const args = ['--server', server.url, '--token', server.token, '--file', path, '--patience', String(PATIENCE_S)]
  const child = spawn(process.execPath, [own, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  let reading: Promise<void> | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    if (stop === undefined || reading !== undefined || !lines(output).has(stop.after)) return
    reading = readAt(server, file, stop)
    // It is waited for below; a failure must not end the process before.
    reading.catch(() => undefined)
  })
  await new Promise((resolve) => child.on('close', resolve))
  rmSync(directory, { recursive: true })
  await reading
  return lines(output)
}

/** Lets the test read what it wants, and the replay go on whatever came of that. */
async function readAt(server: Operated, file: string, stop: Break): Promise<void> {
  try {
    await stop.read(await wordOf(server, file))
  } finally {
    await open(server, file)
  }
}

/** `ok   name`, or `DIFF name` and what differs, each on an indented line. */
function lines(output: string): ReadonlyMap<string, readonly string[]> {
  const results = new Map<string, string[]>()
  let last: string[] = []
  // The last line may be half there.
  for (const line of output.split('\n').slice(0, -1)) {
    const [, verdict, name = ''] = /^(ok {2}|DIFF) (.+)$/.exec(line) ?? []
    if (verdict === undefined) {
      if (line.startsWith('  ')) last.push(line.trim())
    } else results.set(name, (last = verdict === 'DIFF' ? [line] : []))
  }
  return results
}

/** An exchange that the replayer repeats until the test lets it pass. */
const gate = (file: string): object => ({
  name: READ,
  request: { method: 'GET', path: `/api/v1/namespaces/default/configmaps/${gateName(file)}` },
  expect: { status: 200 },
})

const gateName = (file: string): string => `${file.replace('.json', '')}-${READ}`

async function open(server: Operated, file: string): Promise<void> {
  await server.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: gateName(file) } })
}

const NAMED: Readonly<Record<string, { readonly resource: string; readonly ending: string }>> = {
  'pools.json': { resource: 'resourcepools', ending: '-pool' },
  'queue.json': { resource: 'resourcepools', ending: '-ordered' },
  'custom-quotas.json': { resource: 'customquotas', ending: '-pods' },
}

/** Replays have a word of their own in the names of their objects. */
async function wordOf(server: Operated, file: string): Promise<string> {
  const { resource, ending } = NAMED[file] ?? { resource: 'resourcepools', ending: '' }
  const { json } = await server.send('GET', `/apis/capsule.clastix.io/v1beta2/${resource}`)
  const names = (json.items as readonly { readonly metadata: { readonly name: string } }[]).map(
    ({ metadata }) => metadata.name,
  )
  return names.find((name) => name.endsWith(ending))?.slice(0, -ending.length) ?? ''
}
