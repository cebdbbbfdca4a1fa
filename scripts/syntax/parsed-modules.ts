// Modules as a parser sees them, so that no comment, string or way to write hides from a check what they import and do.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ESTree, parseSync } from 'rolldown/utils'
import { repositoryFiles } from '../file-names.ts'

/** A node of the tree of a module. */
export type SyntaxNode = ESTree.Node

export interface Import {
  /** As it is written; undefined where the program computes it. */
  readonly specifier: string | undefined
  /** The names under which the module knows what it imports, with the names there: `*` is everything. */
  readonly names: ReadonlyMap<string, string>
}

export interface ParsedModule {
  /** Below the folder that was read. */
  readonly path: string
  readonly text: string
  /** Types, re-exports, `import()` of both kinds and the modules that a `new URL` names included. */
  readonly imports: readonly Import[]
  readonly program: ESTree.Program
}

const SOURCES = 'src/'
/** An import within an expression or a type, or an export of nothing, has one of these: few modules need a walk through their tree. */
const INNER_IMPORT = /\bimport\s*[(/]|\bexport\s*[{/]|\brequire\b|\bURL\s*\(/

/** The modules of the repository, tests included. */
export const repositoryModules = (root: string): readonly ParsedModule[] =>
  repositoryFiles(root).map((path) => parsedModule(path, readFileSync(join(root, path), 'utf8')))

/** Those of them that make up the program, relative to `src`. */
export const sourceModules = (modules: readonly ParsedModule[]): readonly ParsedModule[] =>
  modules.flatMap((one) =>
    one.path.startsWith(SOURCES) && !one.path.endsWith('.test.ts') ? [moved(one, one.path.slice(SOURCES.length))] : [],
  )

const moved = (one: ParsedModule, path: string): ParsedModule => ({
  path,
  text: one.text,
  imports: one.imports,
  get program() {
    return one.program
  },
})

/** Throws where the text is no module: a check would find nothing in it. */
export function parsedModule(path: string, text: string): ParsedModule {
  const parsed = parseSync(path, text, { preserveParens: false })
  const [error] = parsed.errors
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`)
  const { staticImports, staticExports } = parsed.module
  const outer = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      names: new Map(entries.map(({ importName, localName }) => [localName.value, importName.name ?? '*'])),
    })),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, importName, exportName }) =>
        moduleRequest === null
          ? []
          : [
              {
                specifier: moduleRequest.value,
                names: new Map([[`export ${exportName.name ?? '*'}`, importName.name ?? '*']]),
              },
            ],
      ),
  ]
  return {
    path,
    text,
    imports: INNER_IMPORT.test(text) ? [...outer, ...innerImports(parsed.program)] : outer,
    get program() {
      return parsed.program
    },
  }
}

/** The files that the module imports, below the folder that was read. */
export const importedFiles = ({ path, imports }: ParsedModule): readonly string[] =>
  imports.flatMap(({ specifier }) => (specifier?.startsWith('.') === true ? [join(dirname(path), specifier)] : []))

function innerImports(program: ESTree.Program): readonly Import[] {
  const found: Import[] = []
  const add = (specifier: string | undefined, names: readonly string[] = []): void =>
    void found.push({ specifier, names: new Map(names.map((name) => [name, name])) })
  walk(program, (node) => {
    if (node.type === 'ImportExpression') add(textOf(node.source))
    else if (node.type === 'TSImportType') add(textOf(node.source), firstName(node.qualifier))
    else if (node.type === 'TSExternalModuleReference') add(textOf(node.expression))
    else if (node.type === 'ExportNamedDeclaration' && node.specifiers.length === 0 && node.source !== null)
      add(node.source.value)
    else if (isCallOf(node, 'require')) add(textOf(node.arguments[0]))
    else if (node.type === 'NewExpression' && isNamed(node.callee, 'URL')) {
      const named = textOf(node.arguments[0])
      if (named?.startsWith('.') === true && named.endsWith('.ts')) add(named)
    }
  })
  return found
}

/** The names of a type's qualifier: of `import('./a.ts').B.C` it is B. */
function firstName(qualifier: SyntaxNode | null): readonly string[] {
  if (qualifier?.type === 'TSQualifiedName') return firstName(qualifier.left)
  return qualifier?.type === 'Identifier' ? [qualifier.name] : []
}

function isCallOf(node: SyntaxNode, name: string): node is ESTree.CallExpression {
  return node.type === 'CallExpression' && isNamed(node.callee, name)
}

/** Is it this name, alone? */
export function isNamed(node: SyntaxNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name
}

/** The text that a string is, or a template without gaps. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

/** Visits a node and all below it; `visit` may answer false, and nothing below is visited then. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => boolean | void): void {
  if (visit(node) === false) return
  for (const child of childrenOf(node)) walk(child, visit)
}

/** The nodes directly below. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = []
  const values = Object.values(node) as readonly unknown[]
  for (const value of values)
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value
      for (const one of list) if (isNode(one)) children.push(one)
    } else if (isNode(value)) children.push(value)
  return children
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
