import { join } from 'node:path'
import { expect, test } from 'vitest'
import { collaboratorViolations } from '../../scripts/collaborators.ts'
import { parsedModule, repositoryModules, sourceModules } from '../../scripts/syntax/parsed-modules.ts'

const NAMES = ['Store', 'Registry', 'Admission', 'Quotas', 'Events', 'Watches', 'Indexes']

test('no object of the API server holds everything', () => {
  expect(collaboratorViolations(sourceModules(repositoryModules(join(import.meta.dirname, '../..'))))).toEqual([])
})

const importOf = (name: string): string => `import type { ${name} } from './${name}.ts'`
const modules = (files: Readonly<Record<string, string>>) =>
  Object.entries({
    ...Object.fromEntries(NAMES.map((name) => [`apiserver/${name}.ts`, `export class ${name} {}`])),
    ...files,
  }).map(([path, text]) => parsedModule(path, text))

test('an object that holds everything is found, also if it imports types only', () => {
  const imports = NAMES.map(importOf)
  expect(
    collaboratorViolations(
      modules({
        'apiserver/engine.ts': imports.join('\n'),
        'apiserver/control-plane.ts': imports.join('\n'),
        'apiserver/handler.ts': imports.slice(1).join('\n'),
      }),
    ),
  ).toEqual([`apiserver/engine.ts uses 7 classes of the API server: ${NAMES.toSorted().join(', ')}`])
})

test.each([
  ['comments with quotes', NAMES.map((name) => `import {\n  ${name}, // it's here\n} from './${name}.ts'`)],
  ['other names', NAMES.map((name) => `import { ${name} as My${name} } from './${name}.ts'`)],
  ['import() types', NAMES.map((name) => `export type My${name} = import('./${name}.ts').${name}`)],
  ['re-exports', NAMES.map((name) => `export { ${name} } from './${name}.ts'`)],
])('an object that holds everything by %s is found', (_, imports) => {
  expect(collaboratorViolations(modules({ 'apiserver/engine.ts': imports.join('\n') }))).toHaveLength(1)
})
