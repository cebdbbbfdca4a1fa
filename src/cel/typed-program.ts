import { Quantity } from '../quantity/quantity.ts'
import { CelCompileError, CelRuntimeError } from './types/error.ts'
import { CelList, type CelValue } from './types/value.ts'
import { compileCel } from './program.ts'
import type { CelActivation, CelOptions, CelProgram, EvaluateOptions } from './program.ts'
import { BOOL, QUANTITY, formatType, listOf, sameType } from './types/cel-type.ts'
import type { CelType } from './types/cel-type.ts'

/** A condition: an expression whose static type is `bool`. */
export interface CelCondition {
  readonly program: CelProgram
  /** Throws `CelRuntimeError`. */
  evaluate(activation: CelActivation, options?: EvaluateOptions): boolean
  /** Returns the boolean of a value that the program gave. */
  read(value: CelValue): boolean
}

/** An amount: an expression whose static type is a quantity or a list of them, which are added up. */
export interface CelAmount {
  readonly program: CelProgram
  /** Throws `CelRuntimeError`, also for a list without members. */
  evaluate(activation: CelActivation, options?: EvaluateOptions): Quantity
  /** The amount that a value of the program stands for. Throws `CelRuntimeError`, also for a list without members. */
  read(value: CelValue): Quantity
}

function compileTo(types: readonly CelType[], source: string, options: CelOptions): CelProgram {
  const program = compileCel(source, options)
  if (types.some((type) => sameType(type, program.outputType))) return program
  const wanted = types.map(formatType).join(' or ')
  throw new CelCompileError(`expression must evaluate to ${wanted}, got ${formatType(program.outputType)}`, [])
}

/** Compiles a condition. A result that is only known while running (`object.enabled`) is refused. Throws `CelCompileError`. */
export function compileCondition(source: string, options: CelOptions): CelCondition {
  const program = compileTo([BOOL], source, options)
  const read = (value: CelValue): boolean => value === true
  return { program, read, evaluate: (activation, evaluation) => read(program.evaluate(activation, evaluation)) }
}

/** Compiles an amount. Throws `CelCompileError`. */
export function compileAmount(source: string, options: CelOptions): CelAmount {
  const program = compileTo([QUANTITY, listOf(QUANTITY)], source, options)
  const read = (value: CelValue): Quantity => amountOf(program, value)
  return { program, read, evaluate: (activation, evaluation) => read(program.evaluate(activation, evaluation)) }
}

function amountOf(program: CelProgram, value: CelValue): Quantity {
  if (value instanceof Quantity) return value
  const amounts = value instanceof CelList ? value.values() : []
  if (amounts.length === 0) {
    throw new CelRuntimeError(`CEL expression ${JSON.stringify(program.source)} returned an empty quantity list`)
  }
  return amounts.reduce((sum: Quantity, one) => {
    if (one instanceof Quantity) return sum.add(one)
    throw new CelRuntimeError('a member of the list is not a quantity')
  }, Quantity.zero)
}
