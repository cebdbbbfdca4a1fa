import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StoreOptions } from '../../src/store/store.ts'

const straceIsMissing = spawnSync('strace', ['-V']).error !== undefined
const script = join(import.meta.dirname, 'acknowledging-writer.ts')
let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-fsync-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true })
})

/** One finished system call of the trace. */
interface Call {
  readonly name: string
  readonly text: string
  /** Line at which it began and at which it had returned. */
  readonly began: number
  readonly ended: number
}

/** System calls of all threads; a call that others interrupt in the trace is put together again, a blank in the seam. */
function parseTrace(trace: string): Call[] {
  const calls: Call[] = []
  const unfinished = new Map<string, { readonly text: string; readonly began: number }>()
  for (const [number, line] of trace.split('\n').entries()) {
    const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const begun = resumed === null ? undefined : unfinished.get(thread)
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, { text: rest.slice(0, -'<unfinished ...>'.length), began: number })
      continue
    }
    const text = begun === undefined ? rest : `${begun.text}${resumed?.[1] ?? ''}`
    const name = /^(\w+)\(/.exec(text)?.[1]
    if (name !== undefined) calls.push({ name, text, began: begun?.began ?? number, ended: number })
  }
  return calls
}

/**
 * Returns the acknowledgements that were sent before the acknowledged writes were written to the log and the log was synced after that,
 * successfully.
 */
function unsynced(trace: string): { readonly acknowledged: number; readonly unsafe: readonly string[] } {
  const calls = parseTrace(trace)
  const syncs = calls.filter(({ name, text }) => /^f(data)?sync$/.test(name) && /store\.db-wal>\s*\)\s+= 0$/.test(text))
  const pages = calls.filter(({ name, text }) => name === 'pwrite64' && text.includes('store.db-wal>'))
  const acknowledgements = calls.flatMap((call) => {
    if (call.name !== 'write') return []
    const [, nonce, first, writes] =
      /^write\(1<.*\{\\"nonce\\":\\"([\w-]+)\\",\\"revision\\":(\d+),\\"writes\\":(\d+)\}/.exec(call.text) ?? []
    return nonce === undefined ? [] : [{ nonce, last: Number(first) + Number(writes) - 1, at: call.began }]
  })
  const unsafe = acknowledgements.filter(({ last, at }) => {
    const version = `\\"resourceVersion\\":\\"${last}\\"`
    const written = pages.find(({ text }) => text.includes(version))
    return written === undefined || !syncs.some(({ began, ended }) => began > written.ended && ended < at)
  })
  return { acknowledged: acknowledgements.length, unsafe: unsafe.map(({ nonce }) => nonce) }
}

function traced(writers: number, commits: number, options: StoreOptions): string {
  const trace = join(directory, 'trace')
  const task = JSON.stringify({ directory: join(directory, 'store'), writers, commits, run: 'traced', options })
  const output = openSync(join(directory, 'output'), 'w')
  const calls = 'trace=fsync,fdatasync,pwrite64,write'
  const { status, stderr } = spawnSync(
    'strace',
    ['-f', '-y', '-s', '5000', '-e', calls, '-e', 'signal=none', '-o', trace, process.execPath, script, task],
    // Its lines go to a file: a pipe that is full for a moment takes none.
    { encoding: 'utf8', stdio: ['ignore', output, 'pipe'] },
  )
  closeSync(output)
  expect(`${status} ${stderr}`).toBe('0 ')
  return readFileSync(trace, 'utf8')
}

test.skipIf(straceIsMissing)('every acknowledged write was synced to the disk before, one at a time', () => {
  expect(unsynced(traced(1, 100, {}))).toEqual({ acknowledged: 100, unsafe: [] })
})

test.skipIf(straceIsMissing)('every acknowledged write was synced to the disk before, in groups', () => {
  expect(unsynced(traced(32, 20, {}))).toEqual({ acknowledged: 640, unsafe: [] })
})

test.skipIf(straceIsMissing)('a log that does not sync is found out', () => {
  const { acknowledged, unsafe } = unsynced(traced(1, 20, { faults: { synchronous: 'OFF' } }))
  expect(acknowledged).toBe(20)
  expect(unsafe).toHaveLength(20)
})
