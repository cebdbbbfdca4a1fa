import { dirname, join } from 'node:path'
import { type ParsedModule, sourceModules } from './syntax/parsed-modules.ts'

/** Functions and constants of src that the program does not use, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  guardedWrites: 'a sweep over all guards needs their list',
  isUrgent:
    "Kubernetes' vectors ask for it; controllers here count each quota as soon as it changes, so that nothing is urgent",
  main: 'bin/allot.js calls it',
  UNINSTALL_HOOK: 'scripts/chart writes it into the chart, and into nothing else',
  silentLogger: 'tests and benchmarks log nothing',
}
/** The library: programs of others use what it exports. */
const LIBRARY = 'sdk/'
/** Relies on the format: what a module exports begins at the margin. */
const DECLARATION = /^export (?:async )?(?:function\*?|const|class|abstract class) (\w+)/gm
const EVERYTHING = '*'

/**
 * Returns the exported functions, constants and classes of the program that no module of the program uses, a line each, and the accepted
 * ones that are used or gone. A function that tests alone call is missing in the program.
 */
export function unusedExports(modules: readonly ParsedModule[], accepted = ACCEPTED): readonly string[] {
  const sources = sourceModules(modules)
  const imported = new Set(sources.flatMap((source) => [...importsOf(source)]))
  const unused = sources
    .filter(({ path }) => !path.startsWith(LIBRARY))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECLARATION)]
        .map(([, name = '']) => name)
        .filter((name) => !imported.has(`${path} ${name}`) && !imported.has(`${path} ${EVERYTHING}`))
        .filter((name) => !isUsedWithin(text, name))
        .map((name) => ({ path, name })),
    )
  const names = new Set(unused.map(({ name }) => name))
  return [
    ...unused
      .filter(({ name }) => !Object.hasOwn(accepted, name))
      .map(({ path, name }) => `src/${path}: nothing in src uses ${name}: it goes, or what needs it is missing`),
    ...Object.keys(accepted)
      .filter((name) => !names.has(name))
      .map((name) => `scripts/unused-exports.ts: ${name} is used or gone, so its reason goes`),
  ]
}

/** The path and the name of each thing that a module imports from another of the program; `*` for all that is there. */
function* importsOf({ path, imports }: ParsedModule): Generator<string> {
  for (const { specifier, names } of imports) {
    if (specifier === undefined || !specifier.startsWith('.')) continue
    const target = join(dirname(path), specifier)
    // An import of a module as a whole uses what the program then asks of it.
    if (names.size === 0) yield `${target} ${EVERYTHING}`
    for (const name of names.values()) yield `${target} ${name}`
  }
}

function isUsedWithin(text: string, name: string): boolean {
  const code = text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  return [...code.matchAll(new RegExp(String.raw`(?<![\w$]|(?<!\.\.)\.)${name}(?![\w$])`, 'g'))].length > 1
}
