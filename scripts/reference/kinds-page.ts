import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { listOf, textOf, textsOf } from '../../src/machinery/read.ts'
import { customResources } from '../../src/systems/custom-resources.ts'
import { code, sentence, table } from './markdown.ts'

const INTRODUCTION = `# Kinds

The kinds of allot with their fields, types and defaults, as their CustomResourceDefinitions (\`config/crd\`) have them. \`kubectl explain\` says the same. A field with \`*\` is
required. \`ResourceQuota\` is the kind of Kubernetes; [resources that a quota can limit](quota-resources.md) has what it counts.

The type \`quantity\` is a number or a text as \`500m\` or \`2Gi\`. \`[]…\` is a list, \`map[string]…\` a map. \`Condition\` and \`LabelSelector\` are the types of Kubernetes; [conditions](conditions.md) has
the types and reasons.`

/** Every kind of allot's own. */
export const kindsPage = (): string => `${[INTRODUCTION, ...customResources.map(section)].join('\n\n')}\n`

type Kind = (typeof customResources)[number]

function section({ crd, kind, apiVersion, namespaced }: Kind): string {
  const { names, versions } = member(crd, 'spec')
  const [version] = listOf(versions).filter(isObject)
  const schema = member(member(version, 'schema'), 'openAPIV3Schema')
  const { plural, shortNames } = isObject(names) ? names : {}
  const short = textsOf(shortNames).map(code).join(', ')
  const spelled = `\`${apiVersion}\`, ${namespaced ? 'in a namespace' : 'in no namespace'}, ${code(textOf(plural))}`
  const columns = listOf(version?.['additionalPrinterColumns'])
    .filter(isObject)
    .map(({ name, jsonPath, description }) => [
      code(textOf(name)),
      code(textOf(jsonPath)),
      sentence(textOf(description)),
    ])
  const rows = [...fields(schema, '')].filter(([name]) => /^`(?:spec|status)/.test(name ?? ''))
  return [
    `## ${kind}`,
    sentence(textOf(schema['description'])),
    `${spelled}${short === '' ? '' : `, short ${short}`}.`,
    table(['Field', 'Type', 'Default', 'Meaning'], rows),
    `Columns of \`kubectl get\`:`,
    table(['Column', 'Value', 'Meaning'], columns),
  ].join('\n\n')
}

/** The rows of the fields below a path. Those of types of Kubernetes are left out. */
function* fields(schema: JsonObject, path: string): Generator<readonly string[]> {
  const required = new Set(textsOf(schema['required']))
  for (const [name, field] of Object.entries(member(schema, 'properties'))) {
    if (!isObject(field)) continue
    const at = path === '' ? name : `${path}.${name}`
    yield [
      `${code(at)}${required.has(name) ? ' *' : ''}`,
      typeOf(field),
      'default' in field ? code(JSON.stringify(field['default'])) : '',
      `${sentence(textOf(field['description']))}${choices(field)}`,
    ]
    const { inner, below } = innermost(field)
    if (wellKnown(inner) === undefined) yield* fields(inner, `${at}${below}`)
  }
}

/** What the lists and maps of a field hold, and how paths go there. */
function innermost(field: JsonObject): { readonly inner: JsonObject; readonly below: string } {
  const [held, below] = isObject(field['items'])
    ? [field['items'], '[]']
    : isObject(field['additionalProperties'])
      ? [field['additionalProperties'], '.*']
      : [undefined, '']
  if (held === undefined) return { inner: field, below: '' }
  const further = innermost(held)
  return { inner: further.inner, below: `${below}${further.below}` }
}

function typeOf(field: JsonObject): string {
  if (isObject(field['items'])) return `[]${typeOf(field['items'])}`
  if (isObject(field['additionalProperties'])) return `map[string]${typeOf(field['additionalProperties'])}`
  const { type, format } = field
  return wellKnown(field) ?? (format === 'date-time' ? 'time' : textOf(type))
}

/** The name of a type that every reader knows. */
function wellKnown(field: JsonObject): string | undefined {
  if (field['x-kubernetes-int-or-string'] === true) return 'quantity'
  const names = new Set(Object.keys(member(field, 'properties')))
  const [, name] = KNOWN.find(([keys]) => keys.length === names.size && keys.every((key) => names.has(key))) ?? []
  return name
}

const KNOWN: readonly (readonly [keys: readonly string[], name: string])[] = [
  [['matchLabels', 'matchExpressions'], 'LabelSelector'],
  [['type', 'status', 'reason', 'message', 'lastTransitionTime', 'observedGeneration'], 'Condition'],
]

function choices(field: JsonObject): string {
  const values = textsOf(innermost(field).inner['enum'])
  return values.length === 0 ? '' : ` One of ${values.map(code).join(', ')}.`
}

const member = (object: unknown, key: string): JsonObject => {
  const value = isObject(object) ? object[key] : undefined
  return isObject(value) ? value : {}
}
