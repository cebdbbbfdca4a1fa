import type { ESTree } from 'rolldown/utils'
import { bare, memberName } from './syntax/changes.ts'
import { HeldState, type IndexedModule, keyOf } from './syntax/held-state.ts'
import { boundNames } from './syntax/name-scopes.ts'
import { isNamed, type ParsedModule, type SyntaxNode, walk } from './syntax/parsed-modules.ts'

const GLOBAL_OBJECTS = new Set(['globalThis', 'global'])

/** The states of modules that are allowed, by file and name, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  'apiserver/http/answer/answer.ts warningsOf':
    'warnings go with their exchange; a field of it would cost every request',
  'apiserver/http/watch-event-line.ts lines': 'the line of an event, which never changes, goes with the event',
  'apiserver/openapi/definition-set.ts referencesOf':
    'the types that a definition refers to go with the definition, which never changes',
  'apiserver/resource/custom-versions.ts structuralOf':
    'the compiled form of a schema, which never changes, goes with the schema; versions of a CRD share it',
  'apiserver/workload/job/wall-clock.ts formats':
    'one format for each time zone that exists; making one takes a millisecond',
  'api/definition/parsed-amounts.ts parsed': 'the amounts of a JSON object, which never changes, go with the object',
  'cel/parser/lexer.ts ESCAPE': 'each use of a pattern says first where it begins',
  'cel/parser/lexer.ts PATTERNS': 'each use of a pattern says first where it begins',
  'cel/parser/lexer.ts SPACE': 'each use of a pattern says first where it begins',
  'cel/parser/lexer.ts STRING_START': 'each use of a pattern says first where it begins',
  'cel/types/value.ts CelList.empty': 'a list of nothing has no members to keep',
  'systems/quota-increase/decide/definitions.ts matcherOf':
    'the compiled selector of a definition, which never changes, goes with the definition',
  'systems/quota-increase/decide/read-definitions.ts compiled':
    'the compiled form of a schema, which never changes; what it remembers follows from it',
  'systems/quota-increase/decide/usable-increases.ts errorsUnder':
    'the errors of an increase under some scopes, neither of which ever changes, go with both',
  // To hand the three of claim-memory.ts on as a value, `decidePool` and `claimChange` would take it and give it back, and the operator
  // would keep it from one round of a pool to the next.
  'systems/resource-pool/decide/claim/claim-memory.ts holdings':
    'what follows from a claim, which never changes, goes with the claim',
  'systems/resource-pool/decide/claim/claim-memory.ts uses':
    'what follows from a status, which never changes, goes with the status',
  'systems/resource-pool/decide/claim/claim-memory.ts written': 'what was seen of an outcome goes with the outcome',
  'systems/resource-pool/decide/ledger/ledger-sums.ts bytesOf':
    'the size of entries, which never change, goes with the entries',
  'systems/resource-pool/decide/ledger/ledger-sums.ts sumOfEntries':
    'the sum of entries, which never change, goes with the entries',
  'systems/resource-pool/decide/ledger/ledger-sums.ts totalOfLedger':
    'the sum of a ledger, which never changes, goes with the ledger',
  'systems/resource-pool/decide/namespace-matcher.ts matcherOf':
    'the compiled selectors of a pool, which never change, go with the selectors',
  'kinds/core/volume/projected-volume.ts valid': 'what was found valid, and never changes, goes with the volume',
  'machinery/selector/compiled-selector.ts compiledSelector':
    'the compiled form of a selector, which never changes, goes with the selector',
  'operator/shell/keep-fields.ts known':
    'views of the same fields share one function, by which watches share what they keep',
  'runtime/certificate/reflect-metadata.ts kept': 'stands in for a package that keeps its metadata so',
  'runtime/http/listen-address.ts LOOPBACK': 'a list that is filled when the module is loaded and never changes',
  'runtime/time/timestamp.ts last':
    'the text of a second does not depend on who asks, and a busy server asks all the time',
  'schema/apply/field/merge-shape.ts preserving': 'the shape of a type, which never changes, goes with the type',
  'schema/apply/field/merge-shape.ts shapes': 'the shape of a type, which never changes, goes with the type',
  'schema/apply/zero-object.ts zeroObject': 'the empty object of a type, which never changes, goes with the type',
  'schema/structural/defaults/apply-defaults.ts NONE': 'a budget of nothing, which cannot be spent',
  'schema/structural/value/enumeration.ts knownKeyOf':
    'the key of a listed value, which never changes, goes with the value',
  'schema/structural/value/pattern.ts kept': 'compiled patterns, which follow from their text; bounded by their states',
  'schema/structural/value/pattern.ts statesKept': 'bounds the compiled patterns',
  'schema/type/go-time.ts MICROSECONDS': 'each use of a pattern says first where it begins',
  'schema/type/go-time.ts SECONDS': 'each use of a pattern says first where it begins',
}

/** Returns the states of modules without a reason, one line each, and the reasons that nothing needs any more. */
export function moduleStateViolations(modules: readonly ParsedModule[], reasons = REASONS): readonly string[] {
  const found = moduleStates(modules)
  const states = new Set(found)
  return [
    ...found
      .filter((state) => !Object.hasOwn(reasons, state))
      .map(
        (state) =>
          `src/${state}: a module keeps no state; give it to an object, or say why it may (scripts/module-state.ts)`,
      ),
    ...Object.keys(reasons)
      .filter((state) => !states.has(state))
      .map((state) => `scripts/module-state.ts: ${state} keeps no state any more, so its reason goes`),
  ]
}

/** The state that belongs to a module, or to a class itself, as `file name`, each once. */
export function moduleStates(modules: readonly ParsedModule[]): readonly string[] {
  const held = new HeldState(modules)
  const changed = held.changedNames()
  return [...held.files.values()].flatMap((file) => [
    ...new Set(statesOf(held, changed, file).map((name) => `${file.module.path} ${name}`)),
  ])
}

type ChangedNames = ReturnType<HeldState['changedNames']>

function statesOf(held: HeldState, changed: ChangedNames, file: IndexedModule): readonly string[] {
  const { path, program } = file.module
  const changesOf = (name: string): readonly (readonly string[])[] => changed.get(`${path} ${name}`) ?? []
  return [
    ...program.body.flatMap((statement) => {
      const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
      if (node?.type === 'VariableDeclaration') {
        if (node.kind !== 'const') return node.declarations.flatMap(({ id }) => boundNames(id))
        return node.declarations.flatMap((one) => {
          const names = boundNames(one.id)
          if (one.init !== null && isState(held, file, one)) return names
          return names.filter((name) => changesOf(name).length > 0)
        })
      }
      if (node?.type === 'FunctionDeclaration' && node.id !== null)
        return changesOf(node.id.name).length > 0 ? [node.id.name] : []
      return node?.type === 'ClassDeclaration' ? classStates(held, file, node, changesOf(node.id?.name ?? '')) : []
    }),
    ...file.does.changes.flatMap(({ root }) =>
      root !== undefined && root.scope === undefined && GLOBAL_OBJECTS.has(root.name) ? [root.name] : [],
    ),
  ]
}

function isState(held: HeldState, file: IndexedModule, { id, init }: ESTree.VariableDeclarator): boolean {
  if (init === null) return false
  const value = bare(init)
  return held.holds(file, value) || isEmptyTable(value, id) || isSteppedPattern(value, id, file)
}

/** A table in which nothing is, and that may be filled, is there to be filled. */
function isEmptyTable(value: SyntaxNode, id: SyntaxNode): boolean {
  if (value.type !== 'NewExpression' || value.arguments.length > 0 || value.callee.type !== 'Identifier') return false
  const type = id.type === 'Identifier' ? id.typeAnnotation?.typeAnnotation : undefined
  const isReadonly =
    type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name.startsWith('Readonly')
  return ['Map', 'Set'].includes(value.callee.name) && !isReadonly
}

/** A pattern that remembers where it is, asked in a way that lets it. */
function isSteppedPattern(value: SyntaxNode, id: SyntaxNode, { module }: IndexedModule): boolean {
  if (value.type !== 'Literal' || !('regex' in value) || !/[gy]/.test(value.regex.flags)) return false
  let isStepped = false
  walk(module.program, (node) => {
    if (node.type === 'MemberExpression' && id.type === 'Identifier' && isNamed(node.object, id.name))
      isStepped ||= ['exec', 'test', 'lastIndex'].includes(memberName(node))
  })
  return isStepped
}

/** The static fields of a class that get other values or hold what changes, and the class where it is changed otherwise. */
function classStates(
  held: HeldState,
  file: IndexedModule,
  node: ESTree.Class,
  changes: readonly (readonly string[])[],
): readonly string[] {
  const own = node.id?.name ?? ''
  const statics = node.body.body.flatMap((one) =>
    (one.type === 'PropertyDefinition' || one.type === 'AccessorProperty') && one.static ? [one] : [],
  )
  const within = file.does.changes.filter(
    ({ node: { start, end }, root }) => root === undefined && start >= node.start && end <= node.end,
  )
  const changed = new Set([...changes, ...within.map(({ members }) => members)].map(([first = '']) => first))
  const states = statics.filter(
    (one) =>
      !one.readonly ||
      changed.has(keyOf(one)) ||
      (one.value !== null && (held.holds(file, one.value) || isEmptyTable(bare(one.value), one))),
  )
  const names = new Set(statics.map(keyOf))
  return [
    ...states.map((one) => `${own}.${keyOf(one)}`),
    ...(changes.some(([first = '']) => !names.has(first)) ? [own] : []),
  ]
}
