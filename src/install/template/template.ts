import type { JsonObject } from '../../machinery/object.ts'

/** The values that fill in a template. */
export interface Filling {
  /** All values of the chart, with their defaults. */
  readonly values: JsonObject
  /** The namespace of allot. */
  readonly namespace: string
  /** Of allot, as `0.1.0`. */
  readonly version: string
  /** Does the API server offer this group and version, as `policy/v1`? */
  readonly serves: (apiVersion: string) => boolean
}

/** A single value that follows from what is filled in. */
export type Expression =
  | { readonly of: 'literal'; readonly value: string }
  | { readonly of: 'namespace' }
  | { readonly of: 'version' }
  /** The value at this path of the chart's values; null where it is not there. */
  | { readonly of: 'value'; readonly path: string }
  /** The texts one after the other; a number as JSON has it. */
  | { readonly of: 'joined'; readonly parts: readonly Expression[] }
  /** An object with one member. */
  | { readonly of: 'member'; readonly name: string; readonly value: Expression }
  /** The JSON text of a value. */
  | { readonly of: 'json'; readonly value: Expression }
  | {
      readonly of: 'choice'
      readonly condition: ChartCondition
      readonly when: Expression
      readonly otherwise: Expression
    }

export type ChartCondition =
  /** Is the value at this path neither missing, false, 0 nor empty? */
  | { readonly is: 'set'; readonly path: string }
  /** Has the object at this path this member? */
  | { readonly is: 'present'; readonly path: string; readonly name: string }
  | { readonly is: 'equal'; readonly path: string; readonly text: string }
  | { readonly is: 'served'; readonly apiVersion: string }
  | { readonly is: 'not'; readonly condition: ChartCondition }
  | { readonly is: 'all' | 'any'; readonly conditions: readonly ChartCondition[] }

/** A value in an object or a list that is filled in. */
export class Hole {
  readonly expression: Expression
  constructor(expression: Expression) {
    this.expression = expression
  }
}

/** A member of an object, or an item of a list, that is there only on a condition. */
export class When {
  readonly condition: ChartCondition
  readonly content: ChartTemplate
  constructor(condition: ChartCondition, content: ChartTemplate) {
    this.condition = condition
    this.content = content
  }
}

/** All items of a list among the values in the place of one item, or all members of an object in the place of one member. */
export class Items {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

/** An object of the Kubernetes API with holes. */
export type ChartTemplate = string | number | boolean | Hole | When | Items | readonly ChartTemplate[] | TemplateObject
export interface TemplateObject {
  readonly [name: string]: ChartTemplate
}

/** An object that is made only on a condition. */
export interface ObjectTemplate {
  /** Names its file in the chart. */
  readonly file: string
  readonly condition?: ChartCondition
  readonly object: TemplateObject
}

export const NAMESPACE: Expression = { of: 'namespace' }
export const VERSION: Expression = { of: 'version' }
export const value = (path: string): Expression => ({ of: 'value', path })
export const json = (of: Expression): Expression => ({ of: 'json', value: of })
export const member = (name: string, of: Expression): Expression => ({ of: 'member', name, value: of })
export const choice = (
  condition: ChartCondition,
  yes: Expression | string,
  otherwise: Expression | string,
): Expression => ({
  of: 'choice',
  condition,
  when: expressionOf(yes),
  otherwise: expressionOf(otherwise),
})
export const joined = (...parts: readonly (Expression | string)[]): Expression => ({
  of: 'joined',
  parts: parts.map(expressionOf),
})

export const isSet = (path: string): ChartCondition => ({ is: 'set', path })
export const isPresent = (path: string, name: string): ChartCondition => ({ is: 'present', path, name })
export const isEqual = (path: string, text: string): ChartCondition => ({ is: 'equal', path, text })
export const isServed = (apiVersion: string): ChartCondition => ({ is: 'served', apiVersion })
export const not = (condition: ChartCondition): ChartCondition => ({ is: 'not', condition })
export const all = (...conditions: readonly ChartCondition[]): ChartCondition => ({ is: 'all', conditions })
export const any = (...conditions: readonly ChartCondition[]): ChartCondition => ({ is: 'any', conditions })

/** The value of an expression. */
export const hole = (expression: Expression): Hole => new Hole(expression)
/** The value at this path of the chart's values. */
export const from = (path: string): Hole => new Hole(value(path))
export const when = (condition: ChartCondition, content: ChartTemplate): When => new When(condition, content)
/** The value at this path, unless it is empty. */
export const unlessEmpty = (path: string): When => new When(isSet(path), from(path))

function expressionOf(part: Expression | string): Expression {
  return typeof part === 'string' ? { of: 'literal', value: part } : part
}
