import { CelCompileError } from './types/error.ts'
import type { CostRange } from './checker/cost-range.ts'
import { NOTHING } from './checker/cost-range.ts'
import { compileCel } from './program.ts'
import type { CelOptions, CelProgram } from './program.ts'
import type { SchemaShape } from './types/schema-shape.ts'

/** One of `x-kubernetes-validations`; what the schema leaves out is empty. */
export interface ValidationRule {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

/** A compiled rule. A rule that does not compile is a complaint, because a CRD reports all of them at once. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** `undefined` for a rule that is empty or does not compile. */
  readonly program: CelProgram | undefined
  readonly message: CelProgram | undefined
  /** Why the rule, or its message, does not compile, in the words of Kubernetes. */
  readonly error: string | undefined
  readonly messageError: string | undefined
  /** Does it compare with the old value? It then says nothing about a value that has none. */
  readonly isTransition: boolean
  /** The cost of the rule and its message for one value, by the sizes that the schema allows. */
  readonly cost: CostRange
  readonly messageCost: CostRange
}

interface Compiled {
  readonly program?: CelProgram
  readonly error?: string
}

/**
 * Compiles the rules of one place of a schema. `shape` is that of the place itself (`shapeOfSchema`), whose values are
 * `self` and `oldSelf`.
 */
export function compileRules(
  rules: readonly ValidationRule[],
  shape: SchemaShape,
  more: Pick<CelOptions, 'limits' | 'work'> = {},
): readonly CompiledRule[] {
  return rules.map((rule) => compileRule(rule, shape, more))
}

function compileRule(
  rule: ValidationRule,
  shape: SchemaShape,
  more: Pick<CelOptions, 'limits' | 'work'>,
): CompiledRule {
  const options: CelOptions = {
    variables: { self: { shape }, oldSelf: { shape, optional: rule.optionalOldSelf === true } },
    ...more,
  }
  const main = rule.rule.trim() === '' ? {} : compile(rule.rule, options, RULE)
  const { program } = main
  const message =
    program === undefined || rule.messageExpression === '' ? {} : compile(rule.messageExpression, options, MESSAGE)
  return {
    rule,
    program,
    message: message.program,
    error: main.error,
    messageError: message.error,
    isTransition: program?.uses.has('oldSelf') ?? false,
    cost: program?.estimatedCost ?? NOTHING,
    messageCost: message.program?.estimatedCost ?? NOTHING,
  }
}

interface Wording {
  readonly type: 'bool' | 'string'
  readonly wrongType: string
  readonly compilation: string
  readonly instantiation: string
}

const RULE: Wording = {
  type: 'bool',
  wrongType: 'cel expression must evaluate to a bool',
  compilation: 'compilation failed: ',
  instantiation: 'program instantiation failed: ',
}

const MESSAGE: Wording = {
  type: 'string',
  wrongType: 'messageExpression must evaluate to a string',
  compilation: 'messageExpression compilation failed: ',
  instantiation: 'messageExpression instantiation failed: ',
}

function compile(source: string, options: CelOptions, wording: Wording): Compiled {
  try {
    const program = compileCel(source, options)
    return program.outputType.kind === wording.type ? { program } : { error: wording.wrongType }
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    const prefix = error.phase === 'compile' ? wording.compilation : wording.instantiation
    return { error: prefix + error.message }
  }
}
