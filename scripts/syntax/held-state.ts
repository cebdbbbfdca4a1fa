import { dirname, join } from 'node:path'
import type { ESTree } from 'rolldown/utils'
import { bare, type Change, type KnownName, memberName, ModuleChanges, walkOwn } from './changes.ts'
import { boundNames, type FunctionNode, isClass, isFunction } from './name-scopes.ts'
import { type ParsedModule, type SyntaxNode, walk } from './parsed-modules.ts'

/** Classes whose instances carry no state that anybody changes. */
const STATELESS = new Set([
  'AbortController',
  'DOMException',
  'Error',
  'RangeError',
  'RegExp',
  'SyntaxError',
  'TextDecoder',
  'TextEncoder',
  'TypeError',
  'Uint8Array',
  'URL',
  'URLSearchParams',
])
/** Classes whose instances are tables as long as nobody changes them. */
const TABLES = new Set(['Map', 'Set', 'Array'])

/** Functions whose result remembers what it was asked, wherever they come from. */
const REMEMBERING = new Set(['oncePerObject'])

/** The value that a name of a module stands for: that of a constant, a function or a class. */
interface Declared {
  readonly file: IndexedModule
  readonly value: SyntaxNode
}

/** A module with what it declares at its top, and what it changes. */
export interface IndexedModule {
  readonly module: ParsedModule
  readonly declared: ReadonlyMap<string, SyntaxNode>
  readonly does: ModuleChanges
}

/** The modules of the program, with what their names stand for across files, and which of it holds what changes. */
export class HeldState {
  readonly files: ReadonlyMap<string, IndexedModule>
  readonly #making = new Map<SyntaxNode, boolean>()
  readonly #changedParameters = new Map<FunctionNode, ReadonlySet<number>>()

  constructor(modules: readonly ParsedModule[]) {
    this.files = new Map(
      modules.map((module) => [
        module.path,
        { module, declared: declaredAtTop(module), does: new ModuleChanges(module) },
      ]),
    )
  }

  /** The names at the top of files that something changes in place, in whichever file, as `file name`, with the members. */
  changedNames(): ReadonlyMap<string, readonly (readonly string[])[]> {
    const changed = new Map<string, (readonly string[])[]>()
    const note = (file: IndexedModule, root: KnownName, members: readonly string[], method?: string): void => {
      const place = this.#placeOf(file, root)
      if (place === undefined || (method !== undefined && this.#isOwnMethod(file, root.name, members, method))) return
      const known = changed.get(place) ?? []
      known.push(members)
      changed.set(place, known)
    }
    for (const file of this.files.values()) {
      for (const { root, members, method } of file.does.changes)
        if (root !== undefined) note(file, root, members, method)
      for (const handing of file.does.handings)
        if (this.#changesParameter(file, handing.call.callee, handing.at)) note(file, handing.root, handing.members)
    }
    return changed
  }

  /** Does what the expression makes hold something that changes? A container does where it is itself changed. */
  holds(file: IndexedModule, expression: SyntaxNode): boolean {
    const value = bare(expression)
    if (value.type === 'NewExpression') {
      const made = bare(value.callee)
      if (made.type !== 'Identifier') return true
      const declared = this.#declared(file, made.name)
      if (declared === undefined && (STATELESS.has(made.name) || TABLES.has(made.name)))
        return this.#anyHolds(file, value.arguments)
      return declared === undefined || this.#isChangingClass(declared) || this.#anyHolds(file, value.arguments)
    }
    if (value.type === 'CallExpression')
      return (
        this.#makesState(file, value.callee) || this.#anyHolds(file, value.arguments) || this.#mapsToState(file, value)
      )
    if (value.type === 'ObjectExpression')
      return this.#anyHolds(
        file,
        value.properties.map((one) => (one.type === 'SpreadElement' ? one.argument : one.value)),
      )
    if (value.type === 'ArrayExpression') return this.#anyHolds(file, value.elements)
    if (value.type === 'ConditionalExpression') return this.#anyHolds(file, [value.consequent, value.alternate])
    if (value.type === 'LogicalExpression') return this.#anyHolds(file, [value.left, value.right])
    if (value.type === 'AwaitExpression' || value.type === 'SpreadElement') return this.holds(file, value.argument)
    return false
  }

  #anyHolds(file: IndexedModule, values: readonly (SyntaxNode | null)[]): boolean {
    return values.some((value) => value !== null && this.holds(file, value))
  }

  /** `names.map((name) => new Counter(name))`: such functions are called, and what they make is kept. */
  #mapsToState(file: IndexedModule, call: ESTree.CallExpression): boolean {
    const callee = bare(call.callee)
    return (
      callee.type === 'MemberExpression' &&
      ['from', 'flatMap', 'map', 'reduce'].includes(memberName(callee)) &&
      call.arguments.some((argument) => this.#makesState(file, argument))
    )
  }

  /** Does the function of this name or form give something that holds what changes? */
  #makesState(file: IndexedModule, callee: SyntaxNode): boolean {
    const found = this.#functionOf(file, callee)
    if (found === undefined) return callee.type === 'Identifier' && REMEMBERING.has(callee.name)
    const known = this.#making.get(found.value)
    if (known !== undefined) return known
    // One that calls itself makes what its other ways make.
    this.#making.set(found.value, false)
    const makes = this.#givesState(found.file, found.value)
    this.#making.set(found.value, makes)
    return makes
  }

  #givesState(file: IndexedModule, node: FunctionNode): boolean {
    const given = givenBy(node)
    if (given.some((value) => this.holds(file, value))) return true
    return given.some((value) => {
      let changes = false
      walk(value, (inner) => {
        if (!changes && isFunction(inner) && inner !== node) changes = changesOuter(file.does.changes, inner, node)
      })
      return changes
    })
  }

  #isChangingClass({ file, value }: Declared): boolean {
    if (!isClass(value)) return true
    const known = this.#making.get(value)
    if (known !== undefined) return known
    this.#making.set(value, false)
    const parent = value.superClass === null ? undefined : bare(value.superClass)
    const inherits =
      parent?.type === 'Identifier' &&
      !STATELESS.has(parent.name) &&
      ((declared) => declared === undefined || this.#isChangingClass(declared))(this.#declared(file, parent.name))
    const changes =
      inherits ||
      value.body.body.some((member) => {
        if (member.type === 'PropertyDefinition')
          return !member.static && member.value !== null && this.holds(file, member.value)
        if (member.type !== 'MethodDefinition' || member.kind === 'constructor' || member.static) return false
        return file.does.changes.some(
          ({ node, root, isFirst }) => root === undefined && !isFirst && isWithin(node, member),
        )
      })
    this.#making.set(value, changes)
    return changes
  }

  /** Is the method one of a class of the house, whose methods show what they change? `add` of a number is none of a set. */
  #isOwnMethod(file: IndexedModule, name: string, members: readonly string[], method: string): boolean {
    const found = this.#declared(file, name)
    const made = found === undefined ? undefined : this.#classOf(found.file, memberOf(found.value, members))
    return made?.body.body.some((one) => one.type === 'MethodDefinition' && keyOf(one) === method) === true
  }

  /** The class of the house of which all that the expression can give is. */
  #classOf(file: IndexedModule, expression: SyntaxNode | undefined): ESTree.Class | undefined {
    const value = expression === undefined ? undefined : bare(expression)
    if (value?.type === 'NewExpression' && value.callee.type === 'Identifier') {
      const made = this.#declared(file, value.callee.name)?.value
      return made !== undefined && isClass(made) ? made : undefined
    }
    const found = value?.type === 'CallExpression' ? this.#functionOf(file, value.callee) : undefined
    if (found === undefined) return undefined
    const [first, ...others] = returnedBy(found.value).map((one) => this.#classOf(found.file, one))
    return others.every((one) => one === first) ? first : undefined
  }

  /** Does the function change what it is handed at this place? */
  #changesParameter(file: IndexedModule, callee: SyntaxNode, at: number): boolean {
    const found = this.#functionOf(file, callee)
    return found !== undefined && this.#changedParametersOf(found.file, found.value).has(at)
  }

  #changedParametersOf(file: IndexedModule, node: FunctionNode): ReadonlySet<number> {
    const known = this.#changedParameters.get(node)
    if (known !== undefined) return known
    this.#changedParameters.set(node, new Set())
    const changed = new Set<number>()
    const note = ({ scope, name }: KnownName): void => {
      if (scope !== node) return
      const at = node.params.findIndex((parameter) => boundNames(parameter).includes(name))
      if (at >= 0) changed.add(at)
    }
    for (const { root, members, node: change } of file.does.changes)
      if (root !== undefined && !(members.length === 0 && givesValue(change))) note(root)
    for (const handing of file.does.handings)
      if (handing.root.scope === node && this.#changesParameter(file, handing.call.callee, handing.at))
        note(handing.root)
    this.#changedParameters.set(node, changed)
    return changed
  }

  /** The function that is called: one that stands there, or one of the module, of another, or a static one of a class. */
  #functionOf(file: IndexedModule, callee: SyntaxNode): { file: IndexedModule; value: FunctionNode } | undefined {
    const node = bare(callee)
    if (isFunction(node)) return { file, value: node }
    if (node.type === 'Identifier') {
      const found = this.#declared(file, node.name)
      const value = found === undefined ? undefined : bare(found.value)
      return found !== undefined && value !== undefined && isFunction(value) ? { file: found.file, value } : undefined
    }
    if (node.type !== 'MemberExpression') return undefined
    const object = bare(node.object)
    const found = object.type === 'Identifier' ? this.#declared(file, object.name) : undefined
    if (found === undefined || !isClass(found.value)) return undefined
    for (const member of found.value.body.body)
      if (member.type === 'MethodDefinition' && member.static && member.value.body !== null)
        if (keyOf(member) === memberName(node)) return { file: found.file, value: member.value }
    return undefined
  }

  /** The value of a name at the top of a file, wherever it is declared. */
  #declared(file: IndexedModule, name: string): Declared | undefined {
    const value = file.declared.get(name)
    if (value !== undefined) return { file, value }
    const imported = this.#imported(file, name)
    return imported === undefined ? undefined : this.#declared(imported.file, imported.name)
  }

  #imported(file: IndexedModule, name: string): { file: IndexedModule; name: string } | undefined {
    for (const { specifier, names } of file.module.imports) {
      const from = specifier?.startsWith('.') === true ? join(dirname(file.module.path), specifier) : ''
      const there = names.get(name) ?? names.get(`export ${name}`) ?? (names.has('export *') ? name : undefined)
      const other = this.files.get(from)
      if (there !== undefined && other !== undefined && other !== file) return { file: other, name: there }
    }
    return undefined
  }

  /** `file name` of a name at the top of a file; undefined for a name within a function, and for a global. */
  #placeOf(file: IndexedModule, { name, scope }: KnownName): string | undefined {
    if (scope?.type !== 'Program') return undefined
    if (file.declared.has(name)) return `${file.module.path} ${name}`
    const imported = this.#imported(file, name)
    return imported === undefined
      ? undefined
      : this.#placeOf(imported.file, { name: imported.name, scope: imported.file.module.program })
  }
}

/** The value of a static field of a class; the value itself, where no member of it is asked for. */
function memberOf(value: SyntaxNode, [first, ...others]: readonly string[]): SyntaxNode | undefined {
  if (first === undefined) return value
  if (!isClass(value) || others.length > 0) return undefined
  for (const one of value.body.body)
    if (one.type === 'PropertyDefinition' && one.static && keyOf(one) === first) return one.value ?? undefined
  return undefined
}

/** The name of a member of a class; '' where it is computed. */
export const keyOf = ({ key }: { readonly key: SyntaxNode }): string =>
  'name' in key && typeof key.name === 'string' ? key.name : ''

/** The expressions that the function returns, as they stand there. */
function returnedBy({ body }: FunctionNode): readonly SyntaxNode[] {
  if (body === null) return []
  if (body.type !== 'BlockStatement') return [body]
  const returned: SyntaxNode[] = []
  walkOwn(body, (inner) => {
    if (inner.type === 'ReturnStatement' && inner.argument !== null) returned.push(inner.argument)
  })
  return returned
}

/** The expressions that the function returns, with the values of its own names in them. */
function givenBy(node: FunctionNode): readonly SyntaxNode[] {
  if (node.body === null) return []
  const local = new Map<string, SyntaxNode>()
  walkOwn(node.body, (inner) => {
    if (inner.type === 'VariableDeclarator' && inner.init !== null)
      for (const name of boundNames(inner.id)) local.set(name, inner.init)
  })
  walk(node.body, (inner) => {
    if (inner.type === 'FunctionDeclaration' && inner.id !== null) local.set(inner.id.name, inner)
  })
  const given = new Set(returnedBy(node))
  for (const value of given)
    for (const name of keptNames(value)) {
      const stands = local.get(name)
      if (stands !== undefined) given.add(stands)
    }
  return [...given]
}

/** The names that what an expression makes can hold: all that a function uses, else those that stand where values are kept. */
function keptNames(expression: SyntaxNode): readonly string[] {
  const value = bare(expression)
  if (value.type === 'Identifier') return [value.name]
  if (isFunction(value) || isClass(value)) {
    const names: string[] = []
    walk(value, (inner) => void (inner.type === 'Identifier' && names.push(inner.name)))
    return names
  }
  if (value.type === 'ObjectExpression')
    return value.properties.flatMap((one) => keptNames(one.type === 'SpreadElement' ? one.argument : one.value))
  if (value.type === 'ArrayExpression') return value.elements.flatMap((one) => (one === null ? [] : keptNames(one)))
  if (value.type === 'CallExpression' || value.type === 'NewExpression') return value.arguments.flatMap(keptNames)
  if (value.type === 'ConditionalExpression') return [value.consequent, value.alternate].flatMap(keptNames)
  if (value.type === 'LogicalExpression') return [value.left, value.right].flatMap(keptNames)
  return value.type === 'AwaitExpression' || value.type === 'SpreadElement' ? keptNames(value.argument) : []
}

/** Does the inner function change what belongs to a call of the outer one? */
function changesOuter(changes: readonly Change[], inner: SyntaxNode, outer: SyntaxNode): boolean {
  return changes.some(
    ({ node, root }) =>
      root?.scope !== undefined && isWithin(node, inner) && isWithin(root.scope, outer) && !isWithin(root.scope, inner),
  )
}

const givesValue = ({ type }: SyntaxNode): boolean => type === 'AssignmentExpression' || type === 'UpdateExpression'

const isWithin = (node: SyntaxNode, outer: SyntaxNode): boolean => node.start >= outer.start && node.end <= outer.end

/** The constants, functions and classes at the top of a module, each with its value. */
function declaredAtTop({ program }: ParsedModule): ReadonlyMap<string, SyntaxNode> {
  const declared = new Map<string, SyntaxNode>()
  for (const statement of program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (node?.type === 'VariableDeclaration')
      for (const one of node.declarations) for (const name of boundNames(one.id)) declared.set(name, one.init ?? one)
    if ((node?.type === 'FunctionDeclaration' || node?.type === 'ClassDeclaration') && node.id !== null)
      declared.set(node.id.name, node)
  }
  return declared
}
