// Runs every benchmark of this folder, or those whose names are given: `make bench`, `node bench/run.ts apiserver`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const BENCHES = [
  'quantity',
  'charges',
  'pools',
  'store',
  'apiserver',
  'scale',
  'operator',
  'admission',
  'decisions',
  'counted',
  'increases',
  'custom-quotas',
  'dashboard',
  'karmada-quotas',
  'simulate',
  'explain',
  'unknown-clients',
  'process/bundle-start',
]
const asked = process.argv.slice(2)
for (const name of asked.length === 0 ? BENCHES : asked) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`${name}.ts`, import.meta.url))], {
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
