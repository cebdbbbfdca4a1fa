import type { QuotaSource, SourceSelector } from '../api/source.ts'
import { CelCompileError, CelRuntimeError } from '../../../cel/types/error.ts'
import type { Run } from '../../../cel/types/run-budget.ts'
import { compileCondition } from '../../../cel/typed-program.ts'
import { type FieldError, invalid, tooLong } from '../../../machinery/field-error.ts'
import { JsonPathError } from '../../../machinery/jsonpath/json-path-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { compileFieldSelector } from './path-selector/field-selector.ts'
import { compileLabelSelector, validateLabelSelector } from '../../../machinery/selector/label.ts'
import { MeasureError } from './measure-error.ts'
import { type Effort, MAX_FIELD_SELECTOR_BYTES } from './quota-bounds.ts'

/** Does a source count the object? Throws MeasureError where that cannot be evaluated. */
export type ObjectMatcher = (object: KubeObject, effort: Effort) => boolean

/** How expressions are read. */
export interface Dialect {
  /** As Capsule 0.14: a path that finds nothing and a filter on a scalar are errors. */
  readonly strictPaths: boolean
}

/** How the expressions of one quota are compiled. */
export interface CompileContext extends Dialect {
  /** What compiling them may take together. */
  readonly work: Run
}

const VARIABLES = { object: {} }
const ENCODER = new TextEncoder()

/** The matcher of a source's selectors, any of which may hold; without any entry it matches every object. Adds problems. */
export function compileSelectors(
  source: QuotaSource,
  path: string,
  context: CompileContext,
  problems: FieldError[],
): ObjectMatcher {
  const entries = (source.selectors ?? []).map((selector, index) =>
    compileEntry(selector, `${path}.selectors[${index}]`, context, problems),
  )
  if (entries.length === 0) return () => true
  return (object, effort) => {
    try {
      return entries.some((matches) => matches(object, effort))
    } catch (error) {
      if (!(error instanceof JsonPathError) && !(error instanceof CelRuntimeError)) throw error
      throw new MeasureError('selectors', source, object, error.message)
    }
  }
}

/** One entry: its labels, all field selectors and all CEL expressions must hold. The cheapest are looked at first. */
function compileEntry(
  selector: SourceSelector,
  path: string,
  context: CompileContext,
  problems: FieldError[],
): ObjectMatcher {
  const { fieldSelectors = [], celExpressions = [] } = selector
  const parts: ObjectMatcher[] = []
  const labelProblems = validateLabelSelector(selector, path)
  if (labelProblems.length > 0) problems.push(...labelProblems)
  else {
    const matches = compileLabelSelector(selector)
    parts.push(({ metadata }) => matches(metadata.labels))
  }
  fieldSelectors.forEach((raw, index) => {
    const part = compileField(raw, `${path}.fieldSelectors[${index}]`, context, problems)
    if (part !== undefined) parts.push(part)
  })
  celExpressions.forEach((expression, index) => {
    const part = compileExpression(expression, `${path}.celExpressions[${index}]`, context, problems)
    if (part !== undefined) parts.push(part)
  })
  return (object, effort) => parts.every((matches) => matches(object, effort))
}

function compileField(
  raw: string,
  path: string,
  { strictPaths }: Dialect,
  problems: FieldError[],
): ObjectMatcher | undefined {
  if (ENCODER.encode(raw).length > MAX_FIELD_SELECTOR_BYTES) {
    problems.push(tooLong(path, MAX_FIELD_SELECTOR_BYTES))
    return undefined
  }
  try {
    const selector = compileFieldSelector(raw, { scalarAsList: !strictPaths })
    return (object, effort) => selector.matches(object, effort.paths)
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    problems.push(invalid(path, raw, error.message))
    return undefined
  }
}

function compileExpression(
  expression: string,
  path: string,
  { work }: CompileContext,
  problems: FieldError[],
): ObjectMatcher | undefined {
  try {
    const condition = compileCondition(expression, { variables: VARIABLES, work })
    return (object, effort) => condition.read(effort.evaluate(condition.program, object))
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    problems.push(invalid(path, expression, error.message))
    return undefined
  }
}
