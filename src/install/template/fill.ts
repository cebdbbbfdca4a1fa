import { canonicalJson, isTree } from '../../machinery/json-value.ts'
import type { JsonObject } from '../../machinery/object.ts'
import {
  type ChartCondition,
  type Expression,
  type Filling,
  Hole,
  Items,
  type ObjectTemplate,
  type ChartTemplate,
  type TemplateObject,
  When,
} from './template.ts'

/** The objects of those templates whose conditions hold. */
export function fillTemplates(templates: readonly ObjectTemplate[], filling: Filling): readonly JsonObject[] {
  return templates
    .filter(({ condition }) => condition === undefined || holds(condition, filling))
    .map(({ object }) => filledObject(object, filling))
}

const filledObject = (template: TemplateObject, filling: Filling): JsonObject =>
  Object.fromEntries(
    Object.entries(template).flatMap(([name, part]) => {
      if (!(part instanceof Items)) return filled(part, filling).map((value) => [name, value])
      const members = at(filling.values, part.path)
      return isTree(members) ? Object.entries(members) : []
    }),
  )

/** The values that a part stands for: none, one, or in a list any number. */
function filled(template: ChartTemplate, filling: Filling): readonly unknown[] {
  if (template instanceof Hole) return [result(template.expression, filling)]
  if (template instanceof When) return holds(template.condition, filling) ? filled(template.content, filling) : []
  if (template instanceof Items) {
    const items = at(filling.values, template.path)
    return Array.isArray(items) ? items : []
  }
  if (isList(template)) return [template.flatMap((item) => filled(item, filling))]
  return [typeof template === 'object' ? filledObject(template, filling) : template]
}

const isList = (template: ChartTemplate): template is readonly ChartTemplate[] => Array.isArray(template)

function result(expression: Expression, filling: Filling): unknown {
  switch (expression.of) {
    case 'literal':
      return expression.value
    case 'namespace':
      return filling.namespace
    case 'version':
      return filling.version
    case 'value':
      return at(filling.values, expression.path) ?? null
    case 'joined':
      return expression.parts
        .map((part) => result(part, filling))
        .map((part) => (typeof part === 'string' ? part : goJson(part)))
        .join('')
    case 'member':
      return { [expression.name]: result(expression.value, filling) }
    case 'json':
      return goJson(result(expression.value, filling))
    case 'choice':
  }
  return result(holds(expression.condition, filling) ? expression.when : expression.otherwise, filling)
}

function holds(condition: ChartCondition, filling: Filling): boolean {
  switch (condition.is) {
    case 'set':
      return !isEmpty(at(filling.values, condition.path))
    case 'present': {
      const object = at(filling.values, condition.path)
      return isTree(object) && Object.hasOwn(object, condition.name)
    }
    case 'equal':
      return at(filling.values, condition.path) === condition.text
    case 'served':
      return filling.serves(condition.apiVersion)
    case 'not':
      return !holds(condition.condition, filling)
    case 'all':
      return condition.conditions.every((one) => holds(one, filling))
    case 'any':
  }
  return condition.conditions.some((one) => holds(one, filling))
}

function at(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((place, name) => (isTree(place) && Object.hasOwn(place, name) ? place[name] : undefined), values)
}

/** As templates of Helm see it. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  if (isTree(value)) return Object.keys(value).length === 0
  return value === undefined || value === null || value === false || value === 0 || value === ''
}

const ESCAPED: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** JSON as Go spells it, which escapes what HTML might take for its own. */
const goJson = (value: unknown): string =>
  canonicalJson(value)
    .replaceAll(/[<>&]/g, (sign) => ESCAPED[sign] ?? sign)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
