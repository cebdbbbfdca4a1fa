import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LogDatabase } from '../../src/store/log/database.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'

const straceIsMissing = spawnSync('strace', ['-V']).error !== undefined
const script = join(import.meta.dirname, 'stepping-writer.ts')
/** The system calls that change files. */
const CALLS = 'pwrite64,fsync,fdatasync,ftruncate,unlink,link,rename'
/** At how many of them the process is killed. */
const KILLS = soak ? Infinity : 14

/** Runs the writer, killed at its `at`th change of a file; gives what was acknowledged, and how many changes there were. */
function run(directory: string, at: number | undefined): { readonly revision: number; readonly calls: number } {
  const inject = at === undefined ? [] : ['-e', `inject=${CALLS}:signal=SIGKILL:when=${at}`]
  const trace = `${directory}.trace`
  const { stdout } = spawnSync(
    'strace',
    ['-e', `trace=${CALLS}`, ...inject, '-o', trace, process.execPath, script, directory],
    { encoding: 'utf8' },
  )
  const calls = spawnSync('grep', ['-c', '(', trace], { encoding: 'utf8' }).stdout
  rmSync(trace)
  return { revision: Number(stdout.trim().split('\n').at(-1)), calls: Number(calls) }
}

test.skipIf(straceIsMissing)(
  'a process that is killed at any change of a file, from the first start to the last stop, leaves a store that starts with all that it acknowledged',
  { timeout: soak ? 1_200_000 : 240_000 },
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'allot-steps-'))
    const whole = run(join(root, 'whole'), undefined)
    expect(whole.revision).toBe(8)
    expect(whole.calls).toBeGreaterThan(60)
    const random = new SeededRandom(seed)
    const all = Array.from({ length: whole.calls }, (_, n) => n + 1)
    const step = Math.max(1, whole.calls / KILLS)
    const chosen = soak
      ? all
      : Array.from({ length: KILLS }, (_, n) => Math.ceil(n * step + random.between(1, Math.floor(step))))
    await tellingSeed('crash steps', async () => {
      for (const at of chosen) {
        const directory = join(root, `at-${at}`)
        const { revision } = run(directory, at)
        const log = new LogDatabase(directory, {})
        let newest = 0
        for (let rows = log.read(); rows.length > 0; rows = log.read()) newest = rows.at(-1)?.[0] ?? newest
        log.close()
        expect({ at, isKept: newest >= revision }).toEqual({ at, isKept: true })
      }
    })
    rmSync(root, { recursive: true })
  },
)
