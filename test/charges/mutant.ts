import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'

/** One change of a source file that must be noticed. `find` must stand in the file exactly once. */
export interface Mutation {
  readonly find: string
  readonly replace: string
}

/**
 * Runs a source file with one place changed, and gives what it exports. `imports` holds the modules that it imports values
 * from, by the paths it names. Throws where the place is not found, so that a mutation cannot go stale unnoticed.
 */
export function mutant(
  file: URL,
  { find, replace }: Mutation,
  imports: Readonly<Record<string, object>>,
): Readonly<Record<string, unknown>> {
  const source = readFileSync(fileURLToPath(file), 'utf8')
  if (source.split(find).length !== 2) throw new Error(`${file.pathname} must hold once: ${find}`)
  return run(
    source.replace(find, () => replace),
    file,
    imports,
  )
}

/** Runs a source file as it is, for what imports a mutant. */
export function unchanged(file: URL, imports: Readonly<Record<string, object>>): Readonly<Record<string, unknown>> {
  return run(readFileSync(fileURLToPath(file), 'utf8'), file, imports)
}

function run(source: string, file: URL, imports: Readonly<Record<string, object>>): Readonly<Record<string, unknown>> {
  const exported: string[] = []
  const body = stripTypeScriptTypes(source)
    .replaceAll(/^import\s*(\{[^}]*\})\s*from\s*'([^']+)'/gm, (_, names: string, path: string) => {
      if (imports[path] === undefined) throw new Error(`${file.pathname} imports ${path}, which is not given`)
      return `const ${names} = imports[${JSON.stringify(path)}]`
    })
    .replaceAll(/^export ((?:async )?(?:function|class|const) (\w+))/gm, (_, declaration: string, name: string) => {
      exported.push(name)
      return declaration
    })
  const compiled = compileFunction(`${body}\nreturn { ${exported.join(', ')} }`, ['imports'])
  return compiled(imports) as Readonly<Record<string, unknown>>
}
