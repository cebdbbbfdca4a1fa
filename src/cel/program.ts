import { adaptJson, adapterOf } from './adapt.ts'
import { CelCompileError, CelRuntimeError, CostExceeded } from './types/error.ts'
import { checkExpression } from './checker/check-expression.ts'
import { checkLiterals } from './checker/check-literals.ts'
import { estimateCost } from './checker/estimate.ts'
import type { CostRange } from './checker/estimate.ts'
import type { SyntaxLimits } from './parser/expr-factory.ts'
import { CelAuthorizer, ResourceCheck } from './types/authorization.ts'
import { KUBERNETES_FUNCTIONS } from './library/kubernetes.ts'
import { type Adapt, CelOptional, type CelValue, type Result } from './types/value.ts'
import { parseExpression } from './parser/parse-expression.ts'
import { planExpression } from './interpreter/plan.ts'
import type { PlannedExpression } from './interpreter/plan.ts'
import { Run } from './types/run-budget.ts'
import { DYN_SHAPE } from './types/schema-shape.ts'
import type { SchemaShape } from './types/schema-shape.ts'
import { optionalOf, sameType } from './types/cel-type.ts'
import type { CelType } from './types/cel-type.ts'
import { Failure } from './types/scalar.ts'
import { TYPE_CONSTANTS, typeOfValue } from './types/value-type.ts'

/** A variable: of the values of a schema, or any JSON; `optional` wraps what is there into an optional. */
export interface CelVariable {
  readonly shape?: SchemaShape
  readonly optional?: boolean
  /** The value is one of CEL's own, of this type, and is taken as it is. */
  readonly own?: CelType
}

export interface CelOptions {
  readonly variables: { readonly [name: string]: CelVariable }
  readonly limits?: Partial<SyntaxLimits>
  /** Shared by expressions that must not be too much work to compile together, each of which has a limit of its own. */
  readonly work?: Run
  /** Adds `cel.bind`. Kubernetes does not have it: not for what must be accepted as Kubernetes accepts it. */
  readonly bindings?: boolean
}

/** The values of variables, as JSON; what is left out is null, and for an optional variable none. */
export interface CelActivation {
  readonly [name: string]: unknown
}

export interface EvaluateOptions {
  /** In the API server's units, the most that this evaluation may cost; 1,000,000 is what it grants one call. */
  readonly maxCost?: number
  /** In units of `Run.work`, the most that this evaluation may do of what the API server does not count. */
  readonly maxWork?: number
}

/** The most that one evaluation may cost in Kubernetes. */
export const PER_CALL_LIMIT = 1_000_000

/** A compiled expression. It has no state: one may be evaluated many times, also at once. */
export interface CelProgram {
  readonly source: string
  /** The static type of the result. */
  readonly outputType: CelType
  /** The least and the greatest cost of an evaluation, by the sizes that the schemas of the variables allow. */
  readonly estimatedCost: CostRange
  /** The variables that the expression names. */
  readonly uses: ReadonlySet<string>
  /** Throws `CelRuntimeError`. */
  evaluate(activation: CelActivation, options?: EvaluateOptions): CelValue
  /** As `evaluate`, with what it cost; a failure is given, not thrown. */
  run(activation: CelActivation, options?: EvaluateOptions): CelOutcome
}

export interface CelOutcome {
  readonly cost: number
  readonly work: number
  /** Either the value, or what went wrong. */
  readonly result: { readonly value: CelValue } | { readonly error: CelRuntimeError }
}

/**
 * Compiles a CEL expression with the functions of Kubernetes 1.36. Throws `CelCompileError`.
 * Takes about 70 µs for a short rule, so programs are worth keeping.
 */
export function compileCel(source: string, options: CelOptions): CelProgram {
  const names = Object.keys(options.variables)
  const shapes = new Map(names.map((name) => [name, options.variables[name]?.shape ?? DYN_SHAPE]))
  const types = new Map([...shapes].map(([name, { type }]) => [name, typeOfVariable(type, options.variables[name])]))
  const parsed = parseExpression(source, options)
  const checked = checkExpression(parsed, {
    variables: types,
    constants: TYPE_CONSTANTS,
    functions: KUBERNETES_FUNCTIONS,
  })
  const planned = withinBudget((run) => {
    checkLiterals(checked, run)
    return planExpression(checked, names)
  }, options.work)
  const inputs = names.map((name) => inputOf(name, options.variables[name]))
  return new Program(source, checked.outputType, estimateCost(checked, shapes), checked.variables, planned, inputs)
}

/** Regular expressions that are constants are compiled here; hundreds of large ones would take long. */
function withinBudget<T>(work: (run: Run) => T, shared: Run | undefined): T {
  const run = new Run(PER_CALL_LIMIT, shared?.workLeft)
  try {
    // So that what comes after the limit is not even begun.
    shared?.work(0)
    return work(run)
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    throw new CelCompileError('the regular expressions are too large', [], 'program')
  } finally {
    shared?.count(run.worked)
  }
}

function typeOfVariable(type: CelType, variable: CelVariable | undefined): CelType {
  if (variable?.own !== undefined) return variable.own
  return variable?.optional === true ? optionalOf(type) : type
}

interface Input {
  readonly name: string
  readonly read: (raw: unknown) => Result
}

function inputOf(name: string, variable: CelVariable | undefined): Input {
  const own = variable?.own
  if (own !== undefined) return { name, read: (raw) => ownValue(raw, own) }
  const shape = variable?.shape
  const adapt: Adapt = shape === undefined ? adaptJson : adapterOf(shape)
  if (variable?.optional !== true) return { name, read: adapt }
  return {
    name,
    read: (raw) => {
      if (raw === undefined) return CelOptional.none
      const value = adapt(raw)
      return value instanceof Failure ? value : CelOptional.of(value)
    },
  }
}

/** A value of CEL's own, if it is one of the type that was declared. */
function ownValue(raw: unknown, type: CelType): Result {
  const value = raw instanceof CelAuthorizer || raw instanceof ResourceCheck ? raw : null
  return value !== null && sameType(typeOfValue(value).type, type) ? value : new Failure('no such attribute')
}

class Program implements CelProgram {
  readonly source: string
  readonly outputType: CelType
  readonly estimatedCost: CostRange
  readonly uses: ReadonlySet<string>
  readonly #planned: PlannedExpression
  readonly #inputs: readonly Input[]

  constructor(
    source: string,
    outputType: CelType,
    estimatedCost: CostRange,
    uses: ReadonlySet<string>,
    planned: PlannedExpression,
    inputs: readonly Input[],
  ) {
    this.source = source
    this.outputType = outputType
    this.estimatedCost = estimatedCost
    this.uses = uses
    this.#planned = planned
    this.#inputs = inputs
  }

  evaluate(activation: CelActivation, options: EvaluateOptions = {}): CelValue {
    const { result } = this.run(activation, options)
    if ('error' in result) throw result.error
    return result.value
  }

  run(activation: CelActivation, options: EvaluateOptions = {}): CelOutcome {
    const run = new Run(options.maxCost ?? PER_CALL_LIMIT, options.maxWork)
    const slots: Result[] = []
    for (const { name, read } of this.#inputs) slots.push(read(activation[name]))
    const outcome = (result: CelOutcome['result']): CelOutcome => ({ cost: run.cost, work: run.worked, result })
    try {
      run.work(START_WORK)
      const value = this.#planned.step({ slots, run })
      return outcome(value instanceof Failure ? { error: new CelRuntimeError(value.message) } : { value })
    } catch (error) {
      if (!(error instanceof CostExceeded)) throw error
      return outcome({ error: new CelRuntimeError(error.message, true) })
    }
  }
}

// The least that an evaluation takes: many of them on one object may cost nothing.
const START_WORK = 5

export { CelCompileError, CelRuntimeError }
