import type { ExprFactory } from './expr-factory.ts'
import { ACCUMULATOR } from './syntax.ts'
import type { Expr } from './syntax.ts'
import type { CelValue } from '../types/value.ts'
import type { Failure } from '../types/scalar.ts'

/** A call that may be a macro. */
export interface MacroCall {
  readonly factory: ExprFactory
  /** Is `cel.bind` known? Kubernetes does not have it. */
  readonly bindings: boolean
  readonly offset: number
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

/** Why a macro cannot be expanded, and where. */
export interface MacroComplaint {
  readonly complaint: string
  readonly offset: number
}

type Expanded = Expr | MacroComplaint | undefined

/** Returns the expression that a macro stands for, and `undefined` for a call that is not a macro's but a function's. */
export function expandMacro(call: MacroCall): Expanded | Failure {
  const { name, target, args } = call
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(call) : undefined
  if (name === 'bind' && call.bindings && target.kind === 'ident' && target.name === 'cel' && args.length === 3) {
    return bind(call, args[0], args[1], args[2], 'argument must be a simple name')
  }
  switch (`${name}/${args.length}`) {
    case 'all/2':
    case 'all/3':
    case 'exists/2':
    case 'exists/3':
    case 'exists_one/2':
    case 'exists_one/3':
    case 'existsOne/3':
      return expandQuantifier(call, target)
    case 'map/2':
    case 'map/3':
    case 'filter/2':
    case 'transformList/3':
    case 'transformList/4':
      return expandList(call, target)
    case 'transformMap/3':
    case 'transformMap/4':
    case 'transformMapEntry/3':
    case 'transformMapEntry/4':
      return expandMap(call, target)
    case 'optMap/2':
    case 'optFlatMap/2':
      return expandOptional(call, target)
    case 'sortBy/2':
      return expandSortBy(call, target)
    default:
      return undefined
  }
}

const literal = (call: MacroCall, value: CelValue): Expr =>
  call.factory.make({ kind: 'literal', value, offset: call.offset })
const ident = (call: MacroCall, name: string): Expr => call.factory.make({ kind: 'ident', name, offset: call.offset })
const accumulated = (call: MacroCall): Expr => ident(call, ACCUMULATOR)
const invoke = (call: MacroCall, name: string, ...args: readonly Expr[]): Expr =>
  call.factory.make({ kind: 'call', name, target: undefined, args, offset: call.offset })
const list = (call: MacroCall, ...values: readonly Expr[]): Expr =>
  call.factory.make({
    kind: 'list',
    elements: values.map((value) => ({ value, optional: false })),
    offset: call.offset,
  })

const complain = (complaint: string, offset: number): MacroComplaint => ({ complaint, offset })

function expandHas(call: MacroCall): Expanded {
  const arg = call.args[0]
  if (arg === undefined) return undefined
  if (arg.kind !== 'select' || arg.testOnly) return complain('invalid argument to has() macro', arg.offset)
  return call.factory.make({ ...arg, testOnly: true, offset: call.offset })
}

const notAName = (macro: string): string =>
  macro === 'map' || macro === 'filter' ? 'argument is not an identifier' : 'argument must be a simple name'

/** The names that the first `count` arguments are. */
function variables(call: MacroCall, count: 1 | 2): readonly [string, string | undefined] | MacroComplaint {
  const names: string[] = []
  for (const arg of call.args.slice(0, count)) {
    if (arg.kind !== 'ident') return complain(notAName(call.name), arg.offset)
    if (names.includes(arg.name)) return complain(`duplicate variable name: ${arg.name}`, arg.offset)
    if (arg.name === '__result__') return complain('iteration variable overwrites accumulator variable', arg.offset)
    names.push(arg.name)
  }
  return [names[0] ?? '', names[1]]
}

const isComplaint = (value: readonly [string, string | undefined] | MacroComplaint): value is MacroComplaint =>
  'complaint' in value

interface FoldParts {
  readonly initial: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

function fold(call: MacroCall, range: Expr, names: readonly [string, string | undefined], parts: FoldParts): Expr {
  const [variable, variable2] = names
  return call.factory.make({
    kind: 'fold',
    range,
    variable,
    variable2,
    accumulator: ACCUMULATOR,
    ...parts,
    offset: call.offset,
  })
}

function expandQuantifier(call: MacroCall, target: Expr): Expanded {
  const names = variables(call, call.args.length === 3 ? 2 : 1)
  if (isComplaint(names)) return names
  const predicate = call.args.at(-1)
  if (predicate === undefined) return undefined
  if (call.name === 'all') {
    return fold(call, target, names, {
      initial: literal(call, true),
      condition: invoke(call, '@not_strictly_false', accumulated(call)),
      step: invoke(call, '_&&_', accumulated(call), predicate),
      result: accumulated(call),
    })
  }
  if (call.name === 'exists') {
    return fold(call, target, names, {
      initial: literal(call, false),
      condition: invoke(call, '@not_strictly_false', invoke(call, '!_', accumulated(call))),
      step: invoke(call, '_||_', accumulated(call), predicate),
      result: accumulated(call),
    })
  }
  const counted = invoke(call, '_+_', accumulated(call), literal(call, 1n))
  return fold(call, target, names, {
    initial: literal(call, 0n),
    condition: literal(call, true),
    step: invoke(call, '_?_:_', predicate, counted, accumulated(call)),
    result: invoke(call, '_==_', accumulated(call), literal(call, 1n)),
  })
}

/** `predicate ? step : what was there before`. */
const filtered = (call: MacroCall, predicate: Expr | undefined, step: Expr): Expr =>
  predicate === undefined ? step : invoke(call, '_?_:_', predicate, step, accumulated(call))

function expandList(call: MacroCall, target: Expr): Expanded {
  const two = call.name === 'transformList'
  const names = variables(call, two ? 2 : 1)
  if (isComplaint(names)) return names
  const rest = call.args.slice(two ? 2 : 1)
  const isFilter = call.name === 'filter'
  const predicate = isFilter || rest.length === 2 ? rest[0] : undefined
  const item = isFilter ? call.args[0] : rest.at(-1)
  if (item === undefined) return undefined
  return fold(call, target, names, {
    initial: list(call),
    condition: literal(call, true),
    step: filtered(call, predicate, invoke(call, '_+_', accumulated(call), list(call, item))),
    result: accumulated(call),
  })
}

function expandMap(call: MacroCall, target: Expr): Expanded {
  const names = variables(call, 2)
  if (isComplaint(names)) return names
  const predicate = call.args.length === 4 ? call.args[2] : undefined
  const value = call.args.at(-1)
  if (value === undefined) return undefined
  const added = call.name === 'transformMap' ? [ident(call, names[0]), value] : [value]
  return fold(call, target, names, {
    initial: call.factory.make({ kind: 'map', entries: [], offset: call.offset }),
    condition: literal(call, true),
    step: filtered(call, predicate, invoke(call, 'cel.@mapInsert', accumulated(call), ...added)),
    result: accumulated(call),
  })
}

/** `result` with a name for a value: a fold over nothing. */
function bind(
  call: MacroCall,
  name: Expr | undefined,
  value: Expr | undefined,
  result: Expr | undefined,
  complaint: string,
): Expanded {
  if (name === undefined || value === undefined || result === undefined) return undefined
  if (name.kind !== 'ident') return complain(complaint, name.offset)
  return call.factory.make({
    kind: 'fold',
    range: list(call),
    variable: '#unused',
    variable2: undefined,
    accumulator: name.name,
    initial: value,
    condition: literal(call, false),
    step: ident(call, name.name),
    result,
    offset: call.offset,
  })
}

function expandOptional(call: MacroCall, target: Expr): Expanded {
  const { name, args, offset, factory } = call
  const member = (of: Expr, method: string): Expr =>
    factory.make({ kind: 'call', name: method, target: of, args: [], offset })
  const value = member(factory.copy(target), 'value')
  const complaint = `${name}() variable name must be a simple identifier`
  const bound = bind(call, args[0], value, args[1], complaint)
  if (bound === undefined || 'complaint' in bound) return bound
  const some = name === 'optMap' ? invoke(call, 'optional.of', bound) : bound
  return invoke(call, '_?_:_', member(target, 'hasValue'), some, invoke(call, 'optional.none'))
}

const SORT_INPUT = '@__sortBy_input__'

function expandSortBy(call: MacroCall, target: Expr): Expanded {
  if (target.kind === 'map' || target.kind === 'literal') {
    const kinds = 'a list, identifier, comprehension, call or select expression'
    return complain(`sortBy can only be applied to ${kinds}`, target.offset)
  }
  const keys = expandList({ ...call, name: 'map' }, ident(call, SORT_INPUT))
  if (keys === undefined || 'complaint' in keys) return keys
  const { factory, offset } = call
  const sorted = factory.make({
    kind: 'call',
    name: '@sortByAssociatedKeys',
    target: ident(call, SORT_INPUT),
    args: [keys],
    offset,
  })
  return bind(call, ident(call, SORT_INPUT), target, sorted, '')
}
