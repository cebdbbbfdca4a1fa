import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { typeScriptFiles } from './file-names.ts'

/** Names that may be declared in two files, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  LabelSelector: 'the SDK gives the type of machinery and functions for it under one name',
}
/** Relies on the format: what a module exports begins at the margin. */
const DECLARATION = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm

/**
 * Returns the names of exported classes, interfaces and types that are declared in two files below `source`, a line each, and the
 * accepted ones that are not any more.
 */
export function typeNameViolations(source: string, accepted = ACCEPTED): readonly string[] {
  const files = typeScriptFiles(source)
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
  const places = Map.groupBy(
    files.flatMap((file) => typeNamesOf(readFileSync(join(source, file), 'utf8')).map((name) => ({ name, file }))),
    ({ name }) => name,
  )
  const repeated = [...places].filter(([, declarations]) => declarations.length > 1)
  const names = new Set(repeated.map(([name]) => name))
  return [
    ...repeated
      .filter(([name]) => !Object.hasOwn(accepted, name))
      .map(([name, declarations]) => {
        const [first, ...others] = declarations.map(({ file }) => `src/${file}`)
        return `${first}: ${name} is also exported by ${others.join(' and ')}: a name says alone which type it is`
      }),
    ...Object.keys(accepted)
      .filter((name) => !names.has(name))
      .map((name) => `scripts/type-names.ts: ${name} is not declared twice any more, so its reason goes`),
  ]
}

/** The names of the classes, interfaces and types that a module declares and exports, each once. */
export function typeNamesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(DECLARATION)].map(([, name = '']) => name))]
}
