import type { QuotaSource } from '../api/source.ts'
import { CelCompileError, CelRuntimeError } from '../../../cel/types/error.ts'
import { compileAmount as compileCelAmount } from '../../../cel/typed-program.ts'
import { type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { goQuote } from '../../../machinery/go/quote.ts'
import { JsonPathError } from '../../../machinery/jsonpath/json-path-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { compileSourcePath, type SourcePath } from './path-selector/source-path.ts'
import { Quantity, QuantityError } from '../../../quantity/quantity.ts'
import type { CompileContext, Dialect } from './compile-selectors.ts'
import { MeasureError } from './measure-error.ts'
import type { Effort } from './quota-bounds.ts'

/** Returns the usage of an object by a source, never below 0. Throws MeasureError. */
export type AmountOf = (object: KubeObject, effort: Effort) => Quantity

const ONE = Quantity.of(1)
/** Characters of a text that is not a quantity, in the message that says so. */
const SHOWN_CHARACTERS = 100

/** The amount of a source: 1 to count, else what its path or its CEL expression finds. Undefined, with problems, for neither or both. */
export function compileAmount(
  source: QuotaSource,
  at: string,
  context: CompileContext,
  problems: FieldError[],
): AmountOf | undefined {
  const { op, path = '', cel = '' } = source
  if (op === 'count') {
    if (path !== '' || cel !== '') problems.push(invalid(at, op, "path and cel must be empty when op is 'count'"))
    return () => ONE
  }
  if ((path === '') === (cel === '')) {
    problems.push(required(`${at}.path`, 'exactly one of path and cel must be set and non-empty'))
    return undefined
  }
  const amount =
    path === '' ? celAmount(cel, `${at}.cel`, context, problems) : pathAmount(path, `${at}.path`, context, problems)
  return amount === undefined ? undefined : (object, effort) => measured(source, amount, object, effort)
}

/** The amount; what goes wrong is an error of the source. */
function measured(source: QuotaSource, amount: AmountOf, object: KubeObject, effort: Effort): Quantity {
  try {
    return amount(object, effort)
  } catch (error) {
    if (error instanceof JsonPathError || error instanceof CelRuntimeError || error instanceof QuantityError)
      throw new MeasureError('amount', source, object, error.message)
    throw error
  }
}

function pathAmount(path: string, at: string, dialect: Dialect, problems: FieldError[]): AmountOf | undefined {
  let compiled: SourcePath
  try {
    compiled = compileSourcePath(path)
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error
    problems.push(invalid(at, path, error.message))
    return undefined
  }
  return (object, { paths }) => {
    const text = compiled.scalarText(object, paths)
    if (text === undefined) throw new JsonPathError('execute', 'invalid quantity: the path finds an object or a list')
    return sumOf(text, dialect)
  }
}

/** Says whether the path of a source finds anything in an object; undefined for a source without a (valid) path. */
export function pathFinder({
  op,
  path = '',
}: QuotaSource): ((object: KubeObject, effort: Effort) => boolean) | undefined {
  if (op === 'count' || path === '') return undefined
  const compiled = compileSourcePath(path)
  return (object, { paths }) => compiled.scalarText(object, paths) !== ''
}

/** The sum of the quantities in a path's text. Nothing at all is 0, or an error as in Capsule. */
export function sumOf(text: string, { strictPaths }: Dialect): Quantity {
  const tokens = text.split(/\s+/).filter((token) => token !== '')
  if (tokens.length === 0) {
    if (strictPaths) throw new JsonPathError('execute', 'quantity path did not resolve to any value')
    return Quantity.zero
  }
  return tokens.reduce((sum, token) => sum.add(nonNegative(parsed(token))), Quantity.zero)
}

function parsed(token: string): Quantity {
  try {
    return Quantity.parse(token)
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new JsonPathError(
      'execute',
      `invalid quantity ${goQuote(token.slice(0, SHOWN_CHARACTERS))}: ${error.message}`,
    )
  }
}

/** Without it, a user who may write a counted field could make room for other objects with an amount below 0. */
function nonNegative(amount: Quantity): Quantity {
  if (amount.sign() < 0)
    throw new JsonPathError('execute', `invalid quantity "${amount.toString()}": must not be negative`)
  return amount
}

function celAmount(
  expression: string,
  at: string,
  { work }: CompileContext,
  problems: FieldError[],
): AmountOf | undefined {
  try {
    const amount = compileCelAmount(expression, { variables: { object: {} }, work })
    return (object, effort) => nonNegative(amount.read(effort.evaluate(amount.program, object)))
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    problems.push(invalid(at, expression, error.message))
    return undefined
  }
}
