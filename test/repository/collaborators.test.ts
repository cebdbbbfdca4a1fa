import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collaboratorViolations } from '../../scripts/collaborators.ts'

const NAMES = ['Store', 'Registry', 'Admission', 'Quotas', 'Events', 'Watches', 'Indexes']

test('no object of the API server holds everything', () => {
  expect(collaboratorViolations(join(import.meta.dirname, '../../src/apiserver'))).toEqual([])
})

test('an object that holds everything is found, also if it imports types only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'allot-collaborators-'))
  try {
    for (const name of NAMES) writeFileSync(join(folder, `${name}.ts`), `export class ${name} {}\n`)
    const imports = NAMES.map((name) => `import type { ${name} } from './${name}.ts'\n`).join('')
    for (const file of ['engine.ts', 'control-plane.ts']) writeFileSync(join(folder, file), imports)
    writeFileSync(join(folder, 'handler.ts'), imports.split('\n').slice(1).join('\n'))
    expect(collaboratorViolations(folder)).toEqual([
      `apiserver/engine.ts uses 7 classes of the API server: ${NAMES.toSorted().join(', ')}`,
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
