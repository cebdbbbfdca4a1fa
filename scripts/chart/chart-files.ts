import { readFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { chartValues } from '../../src/install/chart-values.ts'
import { INSTALLED } from '../../src/install/objects.ts'
import { UNINSTALL_HOOK } from '../../src/install/objects/uninstaller.ts'
import { defaultValues, withRequired } from '../../src/install/read-values.ts'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import { helmTemplate } from './helm-template.ts'

const HEADER = 'Generated from src/install by scripts/chart/generate-chart.ts. Do not edit.'

/** The files of the chart, by their path in it. */
export function chartFiles(): ReadonlyMap<string, string> {
  const version = versionOf()
  return new Map([
    ['Chart.yaml', chartYaml(version)],
    ['values.yaml', valuesYaml()],
    ['values.schema.json', `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    ['templates/NOTES.txt', NOTES],
    ...[...INSTALLED, ...UNINSTALL_HOOK].map(
      (one) => [`templates/${one.file}.yaml`, `{{- /* ${HEADER} */ -}}\n${helmTemplate(one)}`] as const,
    ),
  ])
}

function versionOf(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

const chartYaml = (version: string): string =>
  `# ${HEADER}\n${stringify({
    apiVersion: 'v2',
    name: 'allot',
    description: 'One quota control plane for Kubernetes',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.20.0-0',
    keywords: ['quota', 'resourcequota', 'multi-tenancy'],
  })}`

/** The text above the release's own objects, and below them. */
const NOTES = `allot starts in the namespace {{ .Release.Namespace }}. Wait for it, and give it something to do:

  kubectl -n {{ .Release.Namespace }} wait deploy/allot --for=condition=Available
  kubectl label namespace default team=first
  kubectl apply -f - <<'EOF'
  apiVersion: capsule.clastix.io/v1beta2
  kind: ResourcePool
  metadata: {name: first}
  spec:
    selectors: [{matchLabels: {team: first}}]
    quota: {hard: {pods: "10"}}
  EOF
  kubectl -n default get resourcequota

To remove it again; ResourceQuotas that it made {{ ternary "stay" "go" (eq .Values.uninstall.generatedQuotas "keep") }}, its CRDs {{ ternary "go" "stay" .Values.uninstall.crds }} (values uninstall.*):

  helm uninstall {{ .Release.Name }} -n {{ .Release.Namespace }}
`

/** The defaults, each value below what it means. */
function valuesYaml(): string {
  const { openapi } = chartValues
  return `# ${HEADER}\n${commented(defaultValues(), openapi, '').join('\n')}\n`
}

function commented(values: JsonObject, schema: JsonObject, indent: string): readonly string[] {
  const { properties = {} } = schema
  return Object.entries(properties as Readonly<Record<string, JsonObject>>).flatMap(([name, field]) => {
    const { description, enum: choices } = field
    const among = Array.isArray(choices) ? `: ${choices.join(', ')}` : ''
    const comment = typeof description === 'string' ? [`${indent}# ${description}${among}`] : []
    if (!Object.hasOwn(values, name)) return [...comment, `${indent}# ${name}:`]
    const value = values[name]
    const lines =
      isObject(value) && isObject(field['properties'])
        ? [`${indent}${name}:`, ...commented(value, field, `${indent}  `)]
        : stringify({ [name]: value }, { lineWidth: 0, version: '1.1' })
            .trimEnd()
            .split('\n')
            .map((line) => `${indent}${line}`)
    return [...(indent === '' ? [''] : []), ...comment, ...lines]
  })
}

/** The schema as JSON Schema has it; a chart that has this one as a part hands it the global values. */
function valuesSchema(): JsonObject {
  const schema = closed(withRequired(chartValues.openapi))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    properties: { ...(schema['properties'] as JsonObject), global: { type: 'object' } },
  }
}

/** Without fields that nobody knows, where the schema lists those that there are. */
function closed(schema: JsonObject): JsonObject {
  const {
    'x-kubernetes-preserve-unknown-fields': _anything,
    'x-kubernetes-int-or-string': _either,
    properties,
    items,
    additionalProperties,
    ...rest
  } = schema
  return {
    ...rest,
    ...(isObject(items) ? { items: closed(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: closed(additionalProperties) } : {}),
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, isObject(field) ? closed(field) : field]),
          ),
          additionalProperties: false,
        }
      : {}),
  }
}
