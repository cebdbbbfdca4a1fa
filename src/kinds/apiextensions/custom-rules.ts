import { fixed, times } from '../../cel/checker/cost-range.ts'
import { OBJECT_BUDGET, OBJECT_WORK, evaluateRules } from '../../cel/evaluate-rules.ts'
import { PER_CALL_LIMIT } from '../../cel/program.ts'
import { Run } from '../../cel/types/run-budget.ts'
import { MAX_REQUEST_BYTES, type SchemaShape, shapeOfSchema } from '../../cel/types/schema-shape.ts'
import { type CompiledRule, compileRules } from '../../cel/validation-rule.ts'
import { type FieldError, append, forbidden, invalid } from '../../machinery/field-error.ts'
import { resolveFieldPath } from '../../schema/structural/crd-schema/field-path.ts'
import type { RuleEvaluator } from '../../schema/structural/value/rules.ts'
import type { StructuralSchema } from '../../schema/structural/value/structural-schema.ts'

/** The rules of one CRD's schema (`x-kubernetes-validations`), each place compiled when it is first met. */
export class CustomRules {
  readonly #compiled = new WeakMap<StructuralSchema, readonly CompiledRule[]>()
  readonly #work: Run | undefined

  /** `work`: what compiling may cost altogether; without it each rule has its own limit only. */
  constructor(work?: Run) {
    this.#work = work
  }

  /** Evaluates the rules of one object, within the budget that one object has. */
  evaluator(): RuleEvaluator {
    let left = { budget: OBJECT_BUDGET, work: OBJECT_WORK }
    return ({ schema, value, old, path, isResource, isUnchanged }) => {
      const outcome = evaluateRules({
        rules: this.#rulesOf(schema, isResource),
        value,
        old,
        path,
        pathOf: ({ fieldPath }) => (fieldPath === '' ? undefined : pathBelow(schema, fieldPath)),
        type: schema.type,
        isUnchanged,
        ...left,
      })
      left = outcome
      return { errors: outcome.errors, stop: left.budget < 0 }
    }
  }

  #rulesOf(schema: StructuralSchema, isResource: boolean): readonly CompiledRule[] {
    const known = this.#compiled.get(schema)
    if (known !== undefined) return known
    const rules = compiled(schema, isResource, this.#work)
    this.#compiled.set(schema, rules)
    return rules
  }
}

/**
 * Which rules of a schema do not compile or would cost too much, and why, for the author of the CustomResourceDefinition.
 * `path` is that
 * of the schema.
 */
export function ruleErrors(schema: StructuralSchema, path: string): readonly FieldError[] {
  const check: Check = { costs: new RuleCosts(), work: new Run(COMPILE_LIMIT) }
  return [
    ...errorsAt({ schema, path, isResource: true, cardinality: 1, uncorrelated: undefined }, check),
    ...check.costs.totalErrors(path),
  ]
}

/** Evaluates the rules that the defaults of a CRD are held against, within the budget that one object has. */
export const defaultEvaluator = (): RuleEvaluator => new CustomRules(new Run(COMPILE_LIMIT)).evaluator()

/** One expression may be as much work to compile as to evaluate; a CRD as much as so many of them. */
const COMPILE_LIMIT = 4 * PER_CALL_LIMIT

interface Check {
  readonly costs: RuleCosts
  readonly work: Run
}

interface Place {
  readonly schema: StructuralSchema
  readonly path: string
  readonly isResource: boolean
  /** How many values of the schema one object may hold by the limits around it; `undefined` where there are none. */
  readonly cardinality: number | undefined
  /** The outermost schema around whose values have no old ones to compare with; `undefined` where all have. */
  readonly uncorrelated: string | undefined
}

function errorsAt(place: Place, check: Check): readonly FieldError[] {
  const { schema, path, isResource, cardinality, uncorrelated } = place
  if (!schema.holds.rules) return []
  const errors: FieldError[] = []
  const shape = shapeOf(schema, isResource || schema.embeddedResource)
  const count = cardinality ?? Math.floor(MAX_REQUEST_BYTES / ((shape?.minSize ?? 0) + 1))
  const compiled = shape === undefined ? [] : compileRules(schema.rules, shape, { work: check.work })
  for (const [index, { rule, error, messageError, cost, messageCost, isTransition }] of compiled.entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`
    append(errors, check.costs.observe(`${at}.rule`, times(cost, fixed(count)).max, 'rule'))
    if (error !== undefined) errors.push(invalid(`${at}.rule`, rule.rule, error))
    append(errors, check.costs.observe(`${at}.messageExpression`, messageCost.max, 'messageExpression'))
    if (messageError !== undefined)
      errors.push(invalid(`${at}.messageExpression`, rule.messageExpression, messageError))
    append(errors, oldSelfErrors(rule, isTransition, uncorrelated, at))
  }
  const { items, additionalProperties, maxItems, maxProperties, listType } = schema
  const below = (child: StructuralSchema, step: string, most: number | undefined, correlates = true): void => {
    const many = most === undefined || cardinality === undefined ? undefined : cardinality * Math.max(0, most)
    append(
      errors,
      errorsAt(
        {
          schema: child,
          path: `${path}.${step}`,
          isResource: false,
          cardinality: many,
          uncorrelated: uncorrelated ?? (correlates ? undefined : path),
        },
        check,
      ),
    )
  }
  for (const [name, child] of schema.properties) below(child, `properties[${name}]`, 1)
  if (items !== undefined) below(items, 'items', maxItems, listType === 'map')
  if (typeof additionalProperties === 'object') below(additionalProperties, 'additionalProperties', maxProperties)
  return errors
}

/** Is `oldSelf` used where there is no old value, or left unused by a rule that says how it takes it? */
function oldSelfErrors(
  { rule, optionalOldSelf }: CompiledRule['rule'],
  isTransition: boolean,
  uncorrelated: string | undefined,
  at: string,
): readonly FieldError[] {
  if (!isTransition)
    return optionalOldSelf === undefined
      ? []
      : [invalid(`${at}.optionalOldSelf`, optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
  if (uncorrelated === undefined) return []
  const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
  return [invalid(`${at}.rule`, rule, detail)]
}

const shapeOf = (schema: StructuralSchema, isResource: boolean): SchemaShape | undefined =>
  schema.rules.length === 0 ? undefined : shapeOfSchema(schema.source, isResource, 'selfType')

function compiled(schema: StructuralSchema, isResource: boolean, work?: Run): readonly CompiledRule[] {
  const shape = shapeOf(schema, isResource)
  return shape === undefined ? [] : compileRules(schema.rules, shape, work === undefined ? {} : { work })
}

function pathBelow(schema: StructuralSchema, fieldPath: string): string | undefined {
  const found = resolveFieldPath(schema.source, fieldPath)
  return 'path' in found ? found.path : undefined
}

/** The most that one expression of a schema may cost, by estimate, for all the values that one object may hold at its place. */
const EXPRESSION_LIMIT = 10_000_000
/** The most that all expressions of a schema may cost together. */
const SCHEMA_LIMIT = 100_000_000
/** Only so many are named of those that made a schema too dear, and only those that cost a hundredth of it. */
const MOST_NAMED = 4
const WORTH_NAMING = SCHEMA_LIMIT / 100
const MOST = 2 ** 64 - 1

/** Adds up what the rules of a schema may cost at the most. The words are those of Kubernetes' CRD validation. */
class RuleCosts {
  #total = 0
  #dearest: readonly { readonly path: string; readonly cost: number }[] = []

  /** Counts an expression in; gives the complaint when it alone costs too much. `what` is `rule` or `messageExpression`. */
  observe(path: string, cost: number, what: string): readonly FieldError[] {
    this.#total = Math.min(this.#total + cost, MOST)
    if (cost >= WORTH_NAMING)
      this.#dearest = [...this.#dearest, { path, cost }].toSorted((a, b) => b.cost - a.cost).slice(0, MOST_NAMED)
    return cost > EXPRESSION_LIMIT ? [forbidden(path, tooDear(`estimated ${what} cost`, cost, EXPRESSION_LIMIT))] : []
  }

  /** The complaints about the sum; `path` is that of the schema. */
  totalErrors(path: string): readonly FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return []
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#dearest.map((one) => forbidden(one.path, contributed)),
      forbidden(path, tooDear(total, this.#total, SCHEMA_LIMIT)),
    ]
  }
}

function tooDear(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const times = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1)
  return `${what} exceeds budget by factor of ${times}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}
