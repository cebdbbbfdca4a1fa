// Writes config/crd from src/api. `--check` writes nothing and fails when what lies there is something else.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { customResources } from '../src/systems/custom-resources.ts'

const FOLDER = new URL('../config/crd/', import.meta.url)
const HEADER = '# Generated from src/api by scripts/generate-crds.ts. Do not edit.\n---\n'

const wanted = new Map(
  customResources.map(({ group, resource, crd }) => [
    `${group}_${resource}.yaml`,
    // The kinds share schemas; aliases would hide from readers what a field is.
    HEADER + stringify(crd, { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 }),
  ]),
)
const present = existsSync(FOLDER) ? readdirSync(FOLDER) : []
const stale = [...new Set([...wanted.keys(), ...present])].filter(
  (name) => !present.includes(name) || readFileSync(new URL(name, FOLDER), 'utf8') !== wanted.get(name),
)
if (process.argv.includes('--check')) {
  for (const name of stale)
    console.error(`config/crd/${name} is not what src/api says; run \`node scripts/generate-crds.ts\``)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  mkdirSync(FOLDER, { recursive: true })
  for (const name of stale) {
    const text = wanted.get(name)
    if (text === undefined) rmSync(new URL(name, FOLDER))
    else writeFileSync(new URL(name, FOLDER), text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} ${fileURLToPath(new URL(name, FOLDER))}`)
  }
}
