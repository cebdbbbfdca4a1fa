// The CPU time of `allot version`: of the bundle, of the sources whose compiled code is kept, and of those that are compiled at each start.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram } from '../../scripts/artefacts/one-build.ts'
import { childrenCpuSeconds } from '../../test/cpu-time.ts'

const STARTS = 30
const SOURCES = fileURLToPath(new URL('../../bin/allot.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'allot-bench-'))
await buildProgram(folder)
const bundle = join(folder, 'bin/allot.js')

const ways = {
  nodeAlone: { args: ['--eval', ''], env: {} },
  sourcesCompiledAnew: { args: [SOURCES, 'version'], env: { NODE_DISABLE_COMPILE_CACHE: '1' } },
  sourcesKept: { args: [SOURCES, 'version'], env: {} },
  bundle: { args: [bundle, 'version'], env: {} },
}
const ms = Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, cpuMsOf(way)]))
const percentOf = (name: keyof typeof ways): number => Math.round((100 * (ms['bundle'] ?? 0)) / (ms[name] ?? 0))
console.log(
  JSON.stringify({
    bench: 'bundle-start',
    starts: STARTS,
    cpuMs: ms,
    percentOfSourcesCompiledAnew: percentOf('sourcesCompiledAnew'),
    percentOfSourcesKept: percentOf('sourcesKept'),
  }),
)
rmSync(folder, { recursive: true })

/** The mean over many starts, after one that fills the caches. */
function cpuMsOf({
  args,
  env,
}: {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}): number {
  const start = (): void => {
    const { status } = spawnSync(process.execPath, args, { env: { ...process.env, ...env } })
    if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  }
  start()
  const before = childrenCpuSeconds()
  for (let count = 0; count < STARTS; count++) start()
  return Math.round(((childrenCpuSeconds() - before) * 1000) / STARTS)
}
