import type { ESTree } from 'rolldown/utils'
import { childrenOf, type SyntaxNode } from './parsed-modules.ts'

/** A part of a module that declares names of its own; that of the module is the one of its `Program`. */
export interface NameScope {
  readonly node: SyntaxNode
  readonly names: ReadonlySet<string>
}

/** A name where a module uses it as a value. */
export interface NameUse {
  readonly name: string
  readonly node: SyntaxNode
  readonly parent: SyntaxNode
  /** The part that declares it; undefined for a global. */
  readonly scope: NameScope | undefined
}

/** Below these stands an expression, and a type at most beside it. */
const AROUND_EXPRESSIONS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
])

/** The names that a module uses as values, each with the part of the module that declares it. Types are none. */
export function namesUsed(program: SyntaxNode): readonly NameUse[] {
  const uses: NameUse[] = []
  const visit = (node: SyntaxNode, parent: SyntaxNode, outer: readonly NameScope[]): void => {
    if (node.type === 'ImportDeclaration') return
    if (node.type.startsWith('TS') && !AROUND_EXPRESSIONS.has(node.type)) return
    if (node.type === 'Identifier') {
      if (!isKey(node, parent))
        uses.push({ name: node.name, node, parent, scope: outer.findLast(({ names }) => names.has(node.name)) })
      return
    }
    const names = declaredBy(node)
    const scopes = names.length === 0 ? outer : [...outer, { node, names: new Set(names) }]
    for (const child of childrenOf(node)) visit(child, node, scopes)
  }
  visit(program, program, [])
  return uses
}

/** Names below these are no uses of values. */
const NAMING = new Set([
  'LabeledStatement',
  'BreakStatement',
  'ContinueStatement',
  'MetaProperty',
  'ExportSpecifier',
  'ExportAllDeclaration',
])

/** Is it the name of a member, a label or an export, and no use of a value of this name? */
function isKey(node: SyntaxNode, parent: SyntaxNode): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed
  if ('key' in parent && 'computed' in parent) return parent.key === node && !parent.computed
  return NAMING.has(parent.type)
}

/** The names that a node declares for what is below it. */
function declaredBy(node: SyntaxNode): readonly string[] {
  if (node.type === 'Program' || node.type === 'BlockStatement' || node.type === 'StaticBlock')
    return node.body.flatMap(declaredIn)
  if (isFunction(node)) return [...(node.id === null ? [] : [node.id.name]), ...node.params.flatMap(boundNames)]
  if (isClass(node)) return node.id === null ? [] : [node.id.name]
  if (node.type === 'ForStatement') return node.init === null ? [] : declaredIn(node.init)
  if (node.type === 'ForInStatement' || node.type === 'ForOfStatement') return declaredIn(node.left)
  if (node.type === 'CatchClause') return node.param === null ? [] : boundNames(node.param)
  if (node.type === 'SwitchStatement') return node.cases.flatMap(({ consequent }) => consequent.flatMap(declaredIn))
  return []
}

function declaredIn(statement: SyntaxNode): readonly string[] {
  if (statement.type === 'ImportDeclaration') return statement.specifiers.map(({ local }) => local.name)
  if (statement.type === 'ExportNamedDeclaration')
    return statement.declaration === null ? [] : declaredIn(statement.declaration)
  if (statement.type === 'VariableDeclaration') return statement.declarations.flatMap(({ id }) => boundNames(id))
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration')
    return statement.id === null ? [] : [statement.id.name]
  return []
}

/** The names that a pattern binds. */
export function boundNames(pattern: SyntaxNode): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  if (pattern.type === 'ObjectPattern')
    return pattern.properties.flatMap((one) => boundNames(one.type === 'RestElement' ? one.argument : one.value))
  if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap((one) => (one === null ? [] : boundNames(one)))
  if (pattern.type === 'AssignmentPattern') return boundNames(pattern.left)
  return pattern.type === 'RestElement' ? boundNames(pattern.argument) : []
}

/** A function with a body. */
export type FunctionNode = ESTree.Function | ESTree.ArrowFunctionExpression

/** Is it a function, of whichever form? */
export const isFunction = (node: SyntaxNode): node is FunctionNode =>
  node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'

/** Is it a class, of whichever form? */
export const isClass = (node: SyntaxNode): node is ESTree.Class =>
  node.type === 'ClassDeclaration' || node.type === 'ClassExpression'
