import type { FieldError } from '../../../machinery/field-error.ts'
import { isTree } from '../../../machinery/json-value.ts'
import { Correlation, keyOf } from './correlation.ts'
import { NOWHERE } from './findings.ts'
import type { StructuralSchema } from './structural-schema.ts'

/** One value whose schema has rules. */
export interface RulePlace {
  readonly schema: StructuralSchema
  /** The object itself or an embedded resource: rules see `apiVersion`, `kind` and `metadata` too. */
  readonly isResource: boolean
  /** Never null: rules see only what is there. */
  readonly value: unknown
  /** The value that it replaces; `undefined` on creation and where nothing corresponds, as in lists that are not of type map. */
  readonly old: unknown
  /** `<nil>` for the object itself. */
  readonly path: string
  /** Is the value, or the nearest value around it that can be compared, as it was? Then only transition rules fail an update. */
  readonly isUnchanged: () => boolean
}

/** Evaluates the rules of one place, in the order of `place.schema.rules`. It counts its budget itself. */
export type RuleEvaluator = (place: RulePlace) => RuleOutcome
export interface RuleOutcome {
  readonly errors: readonly FieldError[]
  /** Evaluate no more rules of this object: its budget is used up. */
  readonly stop?: boolean
}

interface Walk {
  readonly evaluate: RuleEvaluator
  readonly errors: FieldError[]
  isStopped: boolean
}

/** Calls `evaluate` for each value whose schema has rules, outer values first, and collects the errors. */
export function evaluateRules(
  schema: StructuralSchema,
  object: unknown,
  old: unknown,
  evaluate: RuleEvaluator,
): readonly FieldError[] {
  const correlation = old === undefined ? undefined : new Correlation(schema, object, old, true)
  return evaluateAt(
    { schema, value: object, old, path: '', isResource: true, correlation, around: undefined },
    evaluate,
  )
}

/**
 * As `evaluateRules`, for a default that the schema at `path` gives. It is its own old value, as upstream has it, and
 * nothing is forgiven it for that.
 */
export const evaluateDefaultRules = (
  schema: StructuralSchema,
  value: unknown,
  path: string,
  evaluate: RuleEvaluator,
): readonly FieldError[] =>
  evaluateAt(
    {
      schema,
      value,
      old: value,
      path,
      isResource: schema.embeddedResource,
      correlation: undefined,
      around: undefined,
    },
    evaluate,
  )

function evaluateAt(here: Here, evaluate: RuleEvaluator): readonly FieldError[] {
  const walk: Walk = { evaluate, errors: [], isStopped: false }
  visit(here, walk)
  return walk.errors
}

interface Here {
  readonly schema: StructuralSchema
  readonly value: unknown
  readonly old: unknown
  readonly path: string
  readonly isResource: boolean
  readonly correlation: Correlation | undefined
  readonly around: Correlation | undefined
}

function visit(here: Here, walk: Walk): void {
  const { schema, value, old, path, correlation, around, isResource } = here
  if (walk.isStopped || !schema.holds.rules || value === null || value === undefined) return
  if (schema.rules.length > 0) {
    const isUnchanged = (): boolean => (correlation ?? around)?.isUnchanged() ?? false
    const place = { schema, isResource, value, old: old ?? undefined, path: path === '' ? NOWHERE : path, isUnchanged }
    const { errors, stop = false } = walk.evaluate(place)
    walk.errors.push(...errors)
    walk.isStopped = stop
  }
  if (Array.isArray(value)) visitItems(here, value, walk)
  else if (isTree(value)) visitMembers(here, value, walk)
}

function visitItems({ schema, old, path, correlation, around }: Here, list: readonly unknown[], walk: Walk): void {
  const { items } = schema
  if (items === undefined || !items.holds.rules) return
  const isKeyed = schema.listType === 'map' && Array.isArray(old)
  const oldItems = new Map(
    (isKeyed ? old : []).toReversed().map((item: unknown) => [keyOf(schema, item), item] as const),
  )
  list.forEach((value, at) => {
    const key = isKeyed ? keyOf(schema, value) : undefined
    visit(
      {
        schema: items,
        value,
        old: key === undefined ? undefined : oldItems.get(key),
        path: `${path}[${at}]`,
        isResource: items.embeddedResource,
        correlation: correlation?.item(at),
        around: correlation ?? around,
      },
      walk,
    )
  })
}

function visitMembers(
  { schema, old, path, correlation, around }: Here,
  object: Readonly<Record<string, unknown>>,
  walk: Walk,
): void {
  const before = isTree(old) ? old : {}
  for (const [key, value] of Object.entries(object)) {
    const known = schema.properties.get(key)
    const child = known ?? schema.additionalProperties
    if (typeof child !== 'object') continue
    visit(
      {
        schema: child,
        value,
        old: Object.hasOwn(before, key) ? before[key] : undefined,
        path: known === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
        isResource: child.embeddedResource,
        correlation: correlation?.field(key),
        around: correlation ?? around,
      },
      walk,
    )
  }
}
