// Covers the types by which src/charges reads built-in kinds: `tsc` checks copies of its files that misspell a field.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A field of each kind that src/charges reads, by the file and the kind; of a pod one of each part. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'evaluators/persistent-volume-claim.ts': ['storageClassName', 'allocatedResources'],
  'evaluators/pod-lifecycle.ts': ['activeDeadlineSeconds', 'phase'],
  'evaluators/pod-resources.ts': ['initContainers', 'restartPolicy', 'initContainerStatuses', 'overhead'],
  'evaluators/pod.ts': ['initContainers'],
  'evaluators/resource-claim.ts': [
    'firstAvailable',
    'allocationMode',
    'extendedResourceName',
    'extendedResourceClaimStatus',
  ],
  'evaluators/scopes.ts': ['priorityClassName', 'podAntiAffinity', 'targetVolumeAttributesClassName'],
  'evaluators/service.ts': ['allocateLoadBalancerNodePorts', 'nodePort'],
  'limit-range/limit-defaults.ts': ['defaultRequest'],
  'limit-range/range-violations.ts': ['maxLimitRequestRatio', 'initContainers'],
}

/** The field with its third letter left out. */
const misspelled = (field: string): string => field.slice(0, 2) + field.slice(3)

test('a misspelled field of a kind that is charged does not compile', () => {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.cache-misspelled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [file, fields] of Object.entries(FIELDS)) {
    const text = readFileSync(join(ROOT, 'src/charges', file), 'utf8')
    const copy = fields.reduce(
      (changed, field) => changed.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), misspelled(field)),
      text,
    )
    mkdirSync(dirname(join(folder, 'charges', file)), { recursive: true })
    writeFileSync(join(folder, 'charges', file), copy)
  }
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { rootDirs: [folder, join(ROOT, 'src')], declaration: false },
    include: [join(folder, 'charges')],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  })
  const refused = Object.entries(FIELDS).map(([file, fields]) => {
    const errors = stdout.split('\n').filter((line) => line.includes(`${file}(`))
    return [file, fields.filter((field) => errors.some((error) => error.includes(`'${misspelled(field)}'`)))]
  })
  expect(Object.fromEntries(refused), stdout).toEqual(FIELDS)
})
