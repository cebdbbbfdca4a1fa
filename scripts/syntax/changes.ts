import type { ESTree } from 'rolldown/utils'
import { boundNames, namesUsed, type NameScope } from './name-scopes.ts'
import { childrenOf, isNamed, type ParsedModule, type SyntaxNode, textOf, walk } from './parsed-modules.ts'

/** A name in the part of a module that declares it, which is known by its node; a global has none. */
export interface KnownName {
  readonly name: string
  readonly scope: SyntaxNode | undefined
}

/** A part of what a name stands for. */
interface Part {
  readonly root: KnownName
  readonly members: readonly string[]
}

/** A place of a module that changes something in place, or gives a name another value. */
export interface Change {
  readonly node: SyntaxNode
  /** Whose member is changed, or that itself; undefined for `this`. */
  readonly root: KnownName | undefined
  /** The names of the members on the way to the change, as far as they are known; none where a name gets another value. */
  readonly members: readonly string[]
  /** The method by which; undefined for assignments and functions of `Object`. */
  readonly method: string | undefined
  /** Is it a value that is found out when it is first asked for? */
  readonly isFirst: boolean
}

/** A call that is handed something by its name, or a member of it. */
export interface Handing {
  readonly call: ESTree.CallExpression | ESTree.NewExpression
  readonly at: number
  readonly root: KnownName
  readonly members: readonly string[]
}

const CHANGING_METHODS = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift'.split(' '),
)
/** Functions of `Object` and `Reflect` that change their first argument. */
const CHANGING_FUNCTIONS = new Set(
  'assign defineProperties defineProperty deleteProperty set setPrototypeOf'.split(' '),
)

/** The changes that a module makes, seen through the names that it gives to a thing for a while. */
export class ModuleChanges {
  readonly changes: readonly Change[]
  readonly handings: readonly Handing[]
  readonly #scopes: ReadonlyMap<SyntaxNode, NameScope | undefined>
  readonly #aliases = new Map<SyntaxNode, Map<string, Part>>()

  constructor({ program }: ParsedModule) {
    this.#scopes = new Map(namesUsed(program).map(({ node, scope }) => [node, scope]))
    walk(program, (node) => this.#noteAlias(node))
    const changes: Change[] = []
    const handings: Handing[] = []
    walk(program, (node) => {
      for (const target of changedBy(node)) {
        const members = membersOf(target)
        const end = endOf(target)
        const how = { node, method: methodOf(node), isFirst: isFirstValue(node) }
        if (end.type === 'ThisExpression') changes.push({ ...how, members, root: undefined })
        // A name that gets another value is no other name for what it had.
        else if (end.type === 'Identifier' && members.length === 0 && isGivenValue(node))
          changes.push({ ...how, members, root: this.#own(end) })
        else {
          const part = this.#partOf(target)
          if (part !== undefined) changes.push({ ...how, ...part })
        }
      }
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
      for (const [at, argument] of node.arguments.entries()) {
        const part = this.#partOf(argument)
        if (part !== undefined) handings.push({ call: node, at, ...part })
      }
    })
    this.changes = changes
    this.handings = handings
  }

  /** The name at the root of `a.b[c]!` and the members on the way, seen through other names; undefined where there is none. */
  #partOf(node: SyntaxNode): Part | undefined {
    const end = endOf(node)
    if (end.type !== 'Identifier' || !this.#scopes.has(end)) return undefined
    let part: Part = { root: this.#own(end), members: membersOf(node) }
    const seen = new Set<Part>()
    for (;;) {
      const { root, members } = part
      const next = root.scope === undefined ? undefined : this.#aliases.get(root.scope)?.get(root.name)
      if (next === undefined || seen.has(next)) return part
      seen.add(next)
      part = { root: next.root, members: [...next.members, ...members] }
    }
  }

  #own(node: ESTree.IdentifierReference | ESTree.IdentifierName | ESTree.BindingIdentifier): KnownName {
    return { name: node.name, scope: this.#scopes.get(node)?.node }
  }

  /** `const a = b.c`, `const { c: a } = b` and `for (const a of b)` give another name to a part of b. */
  #noteAlias(node: SyntaxNode): void {
    if (node.type === 'ForOfStatement') {
      if (node.left.type === 'VariableDeclaration')
        for (const { id } of node.left.declarations) this.#note(id, node.right)
    } else if (node.type === 'VariableDeclarator' && node.init !== null) this.#note(node.id, node.init)
  }

  #note(pattern: SyntaxNode, from: SyntaxNode): void {
    const end = endOf(from)
    if (end.type !== 'Identifier') return
    const target = { root: this.#own(end), members: membersOf(from) }
    // Which part a pattern takes is not looked at.
    const part = pattern.type === 'Identifier' ? target : { ...target, members: [...target.members, ''] }
    walk(pattern, (node) => {
      if (node.type !== 'Identifier' || !boundNames(pattern).includes(node.name)) return
      const scope = this.#scopes.get(node)?.node
      // A constant of the module is found by its own name.
      if (scope === undefined || (scope.type === 'Program' && target.root.scope === undefined)) return
      const names = this.#aliases.get(scope) ?? new Map<string, Part>()
      if (node.name !== target.root.name) names.set(node.name, part)
      this.#aliases.set(scope, names)
    })
  }
}

/** The expressions whose values a node changes: the targets of an assignment, the receiver of a method that changes it. */
function changedBy(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type === 'AssignmentExpression') return targetsOf(node.left)
  if (node.type === 'UpdateExpression') return [node.argument]
  if (node.type === 'UnaryExpression') return node.operator === 'delete' ? [node.argument] : []
  if (node.type !== 'CallExpression') return []
  const callee = bare(node.callee)
  if (callee.type !== 'MemberExpression') return []
  const method = memberName(callee)
  if (isNamed(callee.object, 'Object') || isNamed(callee.object, 'Reflect'))
    return CHANGING_FUNCTIONS.has(method) ? node.arguments.slice(0, 1) : []
  return CHANGING_METHODS.has(method) ? [callee.object] : []
}

const isFirstValue = (node: SyntaxNode): boolean =>
  node.type === 'AssignmentExpression' && node.operator === '??=' && membersOf(node.left).length === 1

/** The method that is called, and not one of `Object` with what it changes as an argument. */
function methodOf(node: SyntaxNode): string | undefined {
  const callee = node.type === 'CallExpression' ? bare(node.callee) : undefined
  if (callee?.type !== 'MemberExpression') return undefined
  return isNamed(callee.object, 'Object') || isNamed(callee.object, 'Reflect') ? undefined : memberName(callee)
}

const isGivenValue = (node: SyntaxNode): boolean =>
  node.type === 'AssignmentExpression' || node.type === 'UpdateExpression'

function targetsOf(left: SyntaxNode): readonly SyntaxNode[] {
  if (left.type === 'ObjectPattern')
    return left.properties.flatMap((one) => targetsOf(one.type === 'RestElement' ? one.argument : one.value))
  if (left.type === 'ArrayPattern') return left.elements.flatMap((one) => (one === null ? [] : targetsOf(one)))
  if (left.type === 'AssignmentPattern') return targetsOf(left.left)
  return left.type === 'RestElement' ? targetsOf(left.argument) : [left]
}

/** The node without what only says of which type it is. */
export function bare(node: SyntaxNode): SyntaxNode {
  if (
    node.type === 'TSAsExpression' ||
    node.type === 'TSSatisfiesExpression' ||
    node.type === 'TSNonNullExpression' ||
    node.type === 'TSTypeAssertion' ||
    node.type === 'TSInstantiationExpression' ||
    node.type === 'ChainExpression'
  )
    return bare(node.expression)
  return node
}

/** Where the way of members begins. */
function endOf(node: SyntaxNode): SyntaxNode {
  const stripped = bare(node)
  return stripped.type === 'MemberExpression' ? endOf(stripped.object) : stripped
}

function membersOf(node: SyntaxNode): readonly string[] {
  const stripped = bare(node)
  return stripped.type === 'MemberExpression' ? [...membersOf(stripped.object), memberName(stripped)] : []
}

/** The name of a member, also of a private one; '' where it is computed. */
export function memberName({ property, computed }: ESTree.MemberExpression): string {
  if (computed) return textOf(property) ?? ''
  return 'name' in property && typeof property.name === 'string' ? property.name : ''
}

/** Visits the node and all below it but functions within it, whose names and effects are their own. */
export function walkOwn(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node)
  for (const child of childrenOf(node)) if (!/Function|^Class/.test(child.type)) walkOwn(child, visit)
}
