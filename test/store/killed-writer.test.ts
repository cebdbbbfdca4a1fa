import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import type { Acknowledgement } from './acknowledging-writer.ts'

const script = join(import.meta.dirname, 'acknowledging-writer.ts')
const rounds = Number(process.env['ALLOT_ROUNDS'] ?? (process.env['ALLOT_SOAK'] === undefined ? 5 : 50))
let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-kill-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true })
})

interface Writer {
  readonly child: ChildProcess
  readonly acknowledged: Acknowledgement[]
  /** Resolves when the store is open, with its revision. */
  readonly opened: Promise<number>
}

function startWriter(run: string, writers: number, options: StoreOptions = {}): Writer {
  const task = JSON.stringify({ directory, writers, run, options })
  const child = spawn(process.execPath, [script, task], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: Acknowledgement[] = []
  const opened = new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      // The last line may be cut by the kill: then it was not acknowledged.
      if (!line.endsWith('}')) return
      const message = JSON.parse(line) as Acknowledgement | { readonly opened: number }
      if ('opened' in message) resolve(message.opened)
      else acknowledged.push(message)
    })
    child.once('exit', () => reject(new Error('the writer has ended')))
  })
  return { child, acknowledged, opened }
}

async function kill({ child }: Writer): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Everything that must hold after a kill; `owners`: which nonce owns a revision, over all rounds. */
async function verify(
  acknowledged: readonly Acknowledgement[],
  writers: number,
  owners: Map<number, string>,
): Promise<void> {
  const store = await Store.open({ directory })
  const nonceOf = (bucket: string, key: string): string | undefined => {
    const record = store.get(bucket, key)
    return record === undefined ? undefined : String(record.object['nonce'])
  }
  const missing = acknowledged.filter(({ nonce, revision, writes }) => {
    const kept = store.get('kept', nonce)
    return kept === undefined || kept.revision < revision || kept.revision >= revision + writes
  })
  expect(missing).toEqual([])
  for (let writer = 0; writer < writers; writer++) {
    const nonce = nonceOf('pairs', `${writer}-left`)
    expect(nonceOf('pairs', `${writer}-right`)).toBe(nonce)
    expect(nonce === undefined || nonceOf('kept', nonce) === nonce).toBe(true)
  }
  // Every version in the history, and every live one, belongs to one commit for ever.
  const claim = (revision: number, nonce: string): void => {
    expect(`${revision} ${owners.get(revision) ?? nonce}`).toBe(`${revision} ${nonce}`)
    owners.set(revision, nonce)
  }
  for (const { nonce, revision, writes } of acknowledged) for (let i = 0; i < writes; i++) claim(revision + i, nonce)
  for (const { revision, object } of store.list('kept').records) claim(revision, String(object['nonce']))
  expect(store.revision).toBeGreaterThanOrEqual(
    Math.max(0, ...acknowledged.map(({ revision, writes }) => revision + writes - 1)),
  )
  await store.close()
}

test(
  `nothing acknowledged is lost and nothing is half there after kill -9, ${rounds} times`,
  { timeout: 120_000 + rounds * 5000 },
  async () => {
    const acknowledged: Acknowledgement[] = []
    const owners = new Map<number, string>()
    const writers = 8
    for (let round = 0; round < rounds; round++) {
      // A short history: sweeping is under way too when the process dies.
      const writer = startWriter(`round${round}`, writers, { historyEvents: 100 })
      await writer.opened
      await sleep(Math.random() * 400)
      await kill(writer)
      acknowledged.push(...writer.acknowledged)
      await verify(acknowledged, writers, owners)
    }
    expect(acknowledged.length).toBeGreaterThan(rounds)
  },
)

test('a process that dies while it opens a store leaves one that opens', async () => {
  for (let round = 0; round < 5; round++) {
    const writer = startWriter('early', 1)
    const opened = writer.opened.catch(() => 0)
    await sleep(40 + Math.random() * 60)
    await kill(writer)
    await opened
    await verify(writer.acknowledged, 1, new Map())
    rmSync(directory, { recursive: true })
  }
  const store = await Store.open({ directory })
  expect(store.revision).toBe(0)
  await store.close()
})

test('the log does not grow while the same objects are written again and again', async () => {
  const writer = startWriter('grow', 1, { historyEvents: 100 })
  await writer.opened
  while (writer.acknowledged.length < 1000) await sleep(20)
  await kill(writer)
  const database = new DatabaseSync(join(directory, 'store.db'))
  const count = `SELECT count(*) AS n FROM log WHERE bucket = 'pairs'`
  expect(database.prepare(count).get()?.['n']).toBeLessThan(100 + 2 * 256)
  database.close()
})

test('another process is refused as long as the first one lives, with its pid', async () => {
  const writer = startWriter('holder', 1)
  await writer.opened
  await expect(Store.open({ directory })).rejects.toMatchObject({
    code: 'locked',
    message: `the store in ${directory} is in use by process ${writer.child.pid}`,
  })
  await kill(writer)
  const store = await Store.open({ directory })
  expect(store.revision).toBeGreaterThanOrEqual(writer.acknowledged.length)
  await store.close()
})
