// Types of the library for programs that use it: only the files that they lead to, none of which needs a package.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './root.ts'

const LIBRARY = 'sdk/index.d.ts'
const IMPORTED = /(\bfrom '|\bimport\(["'])([^'"]+)/g

/** Writes the declarations below a folder. Throws when they lead to a package, which users would have to install. */
export function writeDeclarations(folder: string): void {
  const emitted = mkdtempSync(join(tmpdir(), 'allot-types-'))
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', emitted], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  const texts = new Map(
    globSync('**/*.d.ts', { cwd: emitted }).map((file) => [file, readFileSync(join(emitted, file), 'utf8')]),
  )
  rmSync(emitted, { recursive: true })
  const needed = new Set([LIBRARY])
  for (const file of needed) {
    const text = texts.get(file)
    if (text === undefined) throw new Error(`${file} was not emitted`)
    for (const [, , name = ''] of text.matchAll(IMPORTED)) {
      if (!name.startsWith('.')) throw new Error(`the types of the library need the package ${name}: ${file}`)
      needed.add(join(dirname(file), name.replace(/\.ts$/, '.d.ts')))
    }
    const place = join(folder, file)
    mkdirSync(dirname(place), { recursive: true })
    // As all compilers resolve them.
    writeFileSync(
      place,
      text.replaceAll(IMPORTED, (_, before: string, name: string) => before + name.replace(/\.ts$/, '.js')),
    )
  }
}
