import { isBuiltin } from 'node:module'
import { PURE, roomOf } from './rooms.ts'
import { namesUsed, type NameUse } from './syntax/name-scopes.ts'
import { type ParsedModule, type SyntaxNode, textOf, walk } from './syntax/parsed-modules.ts'

/** The packages that they may use, because these are pure too. */
const PURE_PACKAGES: Readonly<Record<string, string>> = {
  re2js: 'regular expressions as Go has them',
  yaml: 'reads and writes texts',
}
/** Globals by which a program reads or changes what it was not given, or finishes at another time. */
const IMPURE = new Set([
  'alert',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'eval',
  'EventSource',
  'fetch',
  'Function',
  'global',
  'globalThis',
  'localStorage',
  'navigator',
  'performance',
  'process',
  'require',
  'scheduler',
  'self',
  'sessionStorage',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'Temporal',
  'WebSocket',
  'Worker',
  'XMLHttpRequest',
])
/** Members of `Date` that read no clock. */
const PURE_DATE_MEMBERS = new Set(['UTC', 'parse', 'prototype'])

/** Returns what makes a module of a pure room impure, one line for each use; nothing for modules of other rooms. */
export function impurities({ path, imports, program }: ParsedModule): readonly string[] {
  const room = roomOf(path)
  if (!PURE.has(room)) return []
  const modules = imports.flatMap(({ specifier }) =>
    specifier === undefined || specifier.startsWith('.') || isPurePackage(specifier) ? [] : [specifier],
  )
  const uses = namesUsed(program).filter((use) => use.scope === undefined && isImpure(use))
  return [
    ...modules.map((name) => `src/${path}: ${room} is pure and imports ${name}`),
    ...[...new Set(uses.map(({ name }) => name)), ...(readsItsPlace(program) ? ['import.meta'] : [])].map(
      (name) => `src/${path}: ${room} is pure and reads the clock, chance or the process by ${name}`,
    ),
  ]
}

function isPurePackage(specifier: string): boolean {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  return !isBuiltin(specifier) && Object.hasOwn(PURE_PACKAGES, name)
}

function isImpure({ name, node, parent }: NameUse): boolean {
  if (IMPURE.has(name)) return true
  if (name === 'Math') return memberOf(node, parent) === undefined || memberOf(node, parent) === 'random'
  if (name === 'Date') return !isPureDate(node, parent)
  return false
}

/** `new Date(time)` reads no clock, and neither does a comparison with the class. */
function isPureDate(node: SyntaxNode, parent: SyntaxNode): boolean {
  if (parent.type === 'NewExpression')
    return parent.callee === node && parent.arguments.length > 0 && parent.arguments[0]?.type !== 'SpreadElement'
  if (parent.type === 'BinaryExpression') return parent.operator === 'instanceof' && parent.right === node
  return PURE_DATE_MEMBERS.has(memberOf(node, parent) ?? '')
}

/** The name of the member that is taken from `node`; undefined where it is computed, or `node` itself is used. */
function memberOf(node: SyntaxNode, parent: SyntaxNode): string | undefined {
  if (parent.type !== 'MemberExpression' || parent.object !== node) return undefined
  if (parent.computed) return textOf(parent.property)
  return 'name' in parent.property && typeof parent.property.name === 'string' ? parent.property.name : undefined
}

function readsItsPlace(program: SyntaxNode): boolean {
  let found = false
  walk(program, ({ type }) => {
    if (type === 'MetaProperty') found = true
  })
  return found
}
