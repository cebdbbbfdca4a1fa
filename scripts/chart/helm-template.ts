import {
  type ChartCondition,
  type Expression,
  Hole,
  Items,
  type ObjectTemplate,
  type ChartTemplate,
  type TemplateObject,
  When,
} from '../../src/install/template/template.ts'

const INDENT = '  '

/** An object of the chart as a template of Helm. */
export function helmTemplate({ condition, object }: ObjectTemplate): string {
  const lines = membersOf(object, '')
  return `${(condition === undefined ? lines : onCondition(condition, '', lines)).join('\n')}\n`
}

const membersOf = (object: TemplateObject, indent: string): readonly string[] =>
  Object.entries(object).flatMap(([name, part]) => member(name, part, indent))

function member(name: string, part: ChartTemplate, indent: string): readonly string[] {
  if (part instanceof When) return onCondition(part.condition, indent, member(name, part.content, indent))
  if (part instanceof Items)
    return [
      `${indent}{{- range $name, $value := .Values.${part.path} }}`,
      `${indent}{{ toJson $name }}: {{ toJson $value }}`,
      `${indent}{{- end }}`,
    ]
  const key = `${indent}${scalar(name)}:`
  return isInline(part) ? [`${key} ${inline(part)}`] : [key, ...block(part, indent + INDENT)]
}

function item(part: ChartTemplate, indent: string): readonly string[] {
  if (part instanceof When) return onCondition(part.condition, indent, item(part.content, indent))
  if (part instanceof Items)
    return [`${indent}{{- range .Values.${part.path} }}`, `${indent}- {{ toJson . }}`, `${indent}{{- end }}`]
  if (isInline(part)) return [`${indent}- ${inline(part)}`]
  const lines = block(part, indent + INDENT)
  const [first = ''] = lines
  // A first member that depends on something has to stand in a line of its own.
  return first.trimStart().startsWith('{{-')
    ? [`${indent}-`, ...lines]
    : [`${indent}- ${first.trimStart()}`, ...lines.slice(1)]
}

const onCondition = (condition: ChartCondition, indent: string, lines: readonly string[]): readonly string[] => [
  `${indent}{{- if ${conditionText(condition)} }}`,
  ...lines,
  `${indent}{{- end }}`,
]

function block(part: ChartTemplate, indent: string): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((one: ChartTemplate) => item(one, indent))
  return membersOf(part as TemplateObject, indent)
}

function isInline(part: ChartTemplate): boolean {
  return typeof part !== 'object' || part instanceof Hole || Object.keys(part).length === 0
}

function inline(part: ChartTemplate): string {
  if (part instanceof Hole) return `{{ toJson ${expressionText(part.expression)} }}`
  if (Array.isArray(part)) return '[]'
  // Templates of other programs, such as those in alerts, are text here.
  if (typeof part === 'string' && part.includes('{{')) return `{{ toJson ${JSON.stringify(part)} }}`
  return typeof part === 'object' ? '{}' : scalar(part)
}

const PLAIN = /^[A-Za-z/][A-Za-z0-9_./-]*$/
const OTHERWISE = /^(?:true|false|yes|no|on|off|null|y|n)$/i

function scalar(value: string | number | boolean): string {
  return typeof value === 'string' && PLAIN.test(value) && !OTHERWISE.test(value) ? value : JSON.stringify(value)
}

function expressionText(expression: Expression): string {
  switch (expression.of) {
    case 'literal':
      return JSON.stringify(expression.value)
    case 'namespace':
      return '.Release.Namespace'
    case 'version':
      return '.Chart.AppVersion'
    case 'value':
      return `.Values.${expression.path}`
    case 'joined':
      return `(print ${expression.parts.map(partText).join(' ')})`
    case 'member':
      return `(dict ${JSON.stringify(expression.name)} ${expressionText(expression.value)})`
    case 'json':
      return `(toJson ${expressionText(expression.value)})`
    case 'choice':
  }
  return `(ternary ${expressionText(expression.when)} ${expressionText(expression.otherwise)} ${conditionText(expression.condition)})`
}

/** Go would spell a large number with an exponent, and put blanks between what is no text. */
const partText = (part: Expression): string =>
  part.of === 'value'
    ? `(kindIs "string" .Values.${part.path} | ternary .Values.${part.path} (toJson .Values.${part.path}))`
    : expressionText(part)

function conditionText(condition: ChartCondition): string {
  switch (condition.is) {
    case 'set':
      return `(not (empty .Values.${condition.path}))`
    case 'present':
      return `(hasKey .Values.${condition.path} ${JSON.stringify(condition.name)})`
    case 'equal':
      // A value of several types may be a number, which `eq` compares with no text.
      return `(eq (toString .Values.${condition.path}) ${JSON.stringify(condition.text)})`
    case 'served':
      return `(.Capabilities.APIVersions.Has ${JSON.stringify(condition.apiVersion)})`
    case 'not':
      return `(not ${conditionText(condition.condition)})`
    case 'all':
      return `(and ${condition.conditions.map(conditionText).join(' ')})`
    case 'any':
  }
  return `(or ${condition.conditions.map(conditionText).join(' ')})`
}
