import type { JsonObject } from '../../../machinery/object.ts'
import type { JSONSchemaProps } from '../../../builtin/apiextensions-v1.ts'
import { membersOf, schemaOf } from './document.ts'

export interface ResolvedPath {
  /** Normal form without a dot in front: `spec.labels[a]`. */
  readonly path: string
  /** The first field's name. */
  readonly root: string
  /** The schema of the field at the end. */
  readonly schema: JSONSchemaProps
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}
/** A dot or bracket, a quoted text, or what stands between. */
const TOKEN = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gsy

/**
 * Follows a path such as `.spec.labels['a.b']` through a schema, as `fieldPath` of rules and `selectableFields` use it
 * (apiextensions `ValidFieldPath`). `brackets: false` refuses the bracketed form. Gives what is wrong, if anything.
 */
export function resolveFieldPath(
  schema: JsonObject,
  text: string,
  { brackets = true }: { readonly brackets?: boolean } = {},
): ResolvedPath | { readonly problem: string } {
  const tokens = text.match(TOKEN) ?? []
  let here = schema
  let path = ''
  let root = ''
  for (let at = 0; at < tokens.length; at++) {
    const opening = tokens[at] ?? ''
    if (opening !== '.' && opening !== '[') return { problem: `expected [ or . but got: ${opening}` }
    if (opening === '[' && !brackets) return { problem: 'array notation is not allowed' }
    const token = tokens[++at]
    if (token === undefined) return { problem: 'unexpected end of JSON path' }
    const name = opening === '[' ? unquoted(token) : token
    if (typeof name !== 'string') return name
    const properties = new Map(membersOf(here, 'properties'))
    const child = properties.size > 0 ? properties.get(name) : schemaOf(here, 'additionalProperties')
    if (child === undefined) return { problem: 'does not refer to a valid field' }
    if (path === '') root = name
    path += properties.size === 0 ? `[${name}]` : path === '' ? name : `.${name}`
    here = child
    if (opening === '.') continue
    const closing = tokens[++at]
    if (closing === undefined) return { problem: 'unexpected end of JSON path' }
    if (closing !== ']') return { problem: `expected ] but got ${closing}` }
  }
  return { path, root, schema: here }
}

function unquoted(token: string): string | { readonly problem: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { problem: `expected single quoted string but got ${token}` }
  }
  let bad: string | undefined
  const name = token.slice(1, -1).replaceAll(/\\(.)/gs, (escape, letter: string) => {
    const char = ESCAPES[letter]
    if (char === undefined) bad ??= escape
    return char ?? ''
  })
  return bad === undefined ? name : { problem: `invalid string literal: invalid escape char ${bad}` }
}
