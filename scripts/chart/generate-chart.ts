// Writes config/chart from src/install. `--check` writes nothing and fails when what lies there is something else.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartFiles } from './chart-files.ts'

const FOLDER = fileURLToPath(new URL('../../config/chart/', import.meta.url))
/** A link to config/crd. */
const CRDS = 'crds'

const wanted = chartFiles()
const present = filesIn('')
const stale = [...new Set([...wanted.keys(), ...present])].filter(
  (name) => !present.includes(name) || readFileSync(join(FOLDER, name), 'utf8') !== wanted.get(name),
)
if (process.argv.includes('--check')) {
  for (const name of stale)
    console.error(`config/chart/${name} is not what src/install says; run \`node scripts/chart/generate-chart.ts\``)
  process.exitCode = stale.length === 0 ? 0 : 1
} else
  for (const name of stale) {
    const file = join(FOLDER, name)
    const text = wanted.get(name)
    mkdirSync(dirname(file), { recursive: true })
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} ${file}`)
  }

function filesIn(folder: string): readonly string[] {
  if (!existsSync(join(FOLDER, folder))) return []
  return readdirSync(join(FOLDER, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (path === CRDS) return []
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}
