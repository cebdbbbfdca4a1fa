// Writes config/chart and config/monitoring from src/install. `--check` writes nothing and fails when something else lies there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartFiles } from './chart-files.ts'
import { monitoringFiles } from './monitoring-files.ts'

const CONFIG = fileURLToPath(new URL('../../config/', import.meta.url))
/** A link to config/crd. */
const CRDS = 'crds'

for (const [folder, wanted] of [
  ['chart', chartFiles()],
  ['monitoring', monitoringFiles()],
] as const)
  generate(join(CONFIG, folder), wanted)

/** `wanted`: the texts of all files of the folder, by their path in it. */
function generate(root: string, wanted: ReadonlyMap<string, string>): void {
  const present = filesIn(root, '')
  const stale = [...new Set([...wanted.keys(), ...present])].filter(
    (name) => !present.includes(name) || readFileSync(join(root, name), 'utf8') !== wanted.get(name),
  )
  if (process.argv.includes('--check')) {
    for (const name of stale)
      console.error(`${join(root, name)} is not what src/install says; run \`node scripts/chart/generate-chart.ts\``)
    if (stale.length > 0) process.exitCode = 1
    return
  }
  for (const name of stale) {
    const file = join(root, name)
    const text = wanted.get(name)
    mkdirSync(dirname(file), { recursive: true })
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} ${file}`)
  }
}

function filesIn(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (path === CRDS) return []
    return entry.isDirectory() ? filesIn(root, path) : [path]
  })
}
