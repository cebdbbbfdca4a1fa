// Writes src/builtin, the types of the built-in kinds, from schemas. `--check` writes nothing and fails when what lies there is something else.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface Definition {
  readonly properties?: Readonly<Record<string, Property>>
  readonly 'x-kubernetes-group-version-kind'?: readonly unknown[]
}
interface Property {
  readonly $ref?: string
  readonly type?: string
  readonly items?: Property
  readonly additionalProperties?: Property
}

const SCHEMAS = new URL('../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const FOLDER = new URL('../src/builtin/', import.meta.url)
/** The group versions whose kinds allot's own code reads, by the file of their types. */
const GROUP_VERSIONS: Readonly<Record<string, string>> = {
  'admissionregistration-v1': 'io.k8s.api.admissionregistration.v1',
  'apiextensions-v1': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'apiregistration-v1': 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  'apps-v1': 'io.k8s.api.apps.v1',
  'authentication-v1': 'io.k8s.api.authentication.v1',
  'authorization-v1': 'io.k8s.api.authorization.v1',
  'autoscaling-v1': 'io.k8s.api.autoscaling.v1',
  'autoscaling-v2': 'io.k8s.api.autoscaling.v2',
  'batch-v1': 'io.k8s.api.batch.v1',
  'certificates-v1': 'io.k8s.api.certificates.v1',
  'certificates-v1beta1': 'io.k8s.api.certificates.v1beta1',
  'coordination-v1': 'io.k8s.api.coordination.v1',
  'coordination-v1beta1': 'io.k8s.api.coordination.v1beta1',
  'core-v1': 'io.k8s.api.core.v1',
  'discovery-v1': 'io.k8s.api.discovery.v1',
  'events-v1': 'io.k8s.api.events.v1',
  'flowcontrol-v1': 'io.k8s.api.flowcontrol.v1',
  'meta-v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'networking-v1': 'io.k8s.api.networking.v1',
  'node-v1': 'io.k8s.api.node.v1',
  'policy-v1': 'io.k8s.api.policy.v1',
  'rbac-v1': 'io.k8s.api.rbac.v1',
  'resource-v1': 'io.k8s.api.resource.v1',
  'scheduling-v1': 'io.k8s.api.scheduling.v1',
  'storage-v1': 'io.k8s.api.storage.v1',
}
const HEADER = '// Generated from schemas by scripts/generate-types.ts. Do not edit.\n'
const OF_EVERY_OBJECT = ['apiVersion', 'kind', 'metadata']
/** A schema where a boolean may stand instead, which readers take for an empty one. */
const SCHEMA_OR_BOOL = 'JSONSchemaPropsOrBool'

const { definitions } = JSON.parse(readFileSync(SCHEMAS, 'utf8')) as {
  readonly definitions: Readonly<Record<string, Definition>>
}
const wanted = new Map<string, string>(
  Object.entries(GROUP_VERSIONS).map(([file, prefix]) => [`${file}.ts`, fileOf(prefix)] as const),
)
const present = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => /-v\d\w*\.ts$/.test(name)) : []
const stale = [...new Set([...wanted.keys(), ...present])].filter(
  (name) => !present.includes(name) || readFileSync(new URL(name, FOLDER), 'utf8') !== wanted.get(name),
)
if (process.argv.includes('--check')) {
  for (const name of stale)
    console.error(`src/builtin/${name} is not what schemas say; run \`node scripts/generate-types.ts\``)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const name of stale) {
    const text = wanted.get(name)
    if (text === undefined) rmSync(new URL(name, FOLDER))
    else writeFileSync(new URL(name, FOLDER), text)
    console.log(`${text === undefined ? 'removed' : 'wrote'} ${fileURLToPath(new URL(name, FOLDER))}`)
  }
}

function fileOf(prefix: string): string {
  const names = Object.keys(definitions).filter((name) => prefixOf(name) === prefix && hasType(name))
  const types = names.map((name) => declaration(name))
  const body = types.join('\n')
  const machinery = (['KubeObject', 'Unchecked', 'Embedded', 'Named'] as const).filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  )
  const read = machinery.filter((name) => name !== 'KubeObject')
  const imports = [
    ...(machinery.includes('KubeObject') ? ["import type { KubeObject } from '../machinery/object.ts'"] : []),
    ...(read.length === 0 ? [] : [`import type { ${read.toSorted().join(', ')} } from '../machinery/read.ts'`]),
    ...importsOf(prefix, names),
  ]
  return `${HEADER}${imports.map((line) => `${line}\n`).join('')}\n${body}`
}

/** The imports of types of other group versions. */
function importsOf(prefix: string, names: readonly string[]): readonly string[] {
  const used = new Set(names.flatMap((name) => Object.values(fieldsOf(name)).flatMap((field) => referred(field))))
  const others = [...used].filter((name) => prefixOf(name) !== prefix)
  const files = Map.groupBy(others, fileNameOf)
  return [...files.keys()].toSorted().map((file) => {
    const types = (files.get(file) ?? []).map(typeNameOf).toSorted()
    const line = `import type { ${types.join(', ')} } from './${file}.ts'`
    return line.length <= 120
      ? line
      : `import type {\n${types.map((type) => `  ${type},\n`).join('')}} from './${file}.ts'`
  })
}

function declaration(name: string): string {
  const lines = [
    ...(isKind(name) ? OF_EVERY_OBJECT : []).map((key) => `  readonly ${key}: KubeObject['${key}']\n`),
    ...Object.entries(fieldsOf(name)).map(
      ([key, field]) => `  readonly ${/^[\w$]+$/.test(key) ? key : `'${key}'`}?: ${typeOf(field)}\n`,
    ),
  ]
  return `export type ${typeNameOf(name)} = {\n${lines.join('')}}\n`
}

/** The type of a field: `unknown` for a text, number or boolean, and for lists and maps of these. */
function typeOf(field: Property): string {
  const shape = shapeOf(field)
  if (shape === 'unknown') return shape
  return field.$ref?.endsWith(SCHEMA_OR_BOOL) === true ? `Unchecked<${shape}> | boolean` : `Unchecked<${shape}>`
}

function shapeOf({ $ref, items, additionalProperties }: Property): string {
  if ($ref !== undefined) {
    const name = definitionOf($ref)
    if (!hasType(name)) return 'unknown'
    return isKind(name) ? `Embedded<${typeNameOf(name)}>` : typeNameOf(name)
  }
  if (items !== undefined) {
    const item = shapeOf(items)
    return item === 'unknown' ? item : `readonly ${item}[]`
  }
  if (additionalProperties === undefined) return 'unknown'
  const value = typeOf(additionalProperties)
  return value === 'unknown' ? value : `Named<${value}>`
}

function referred({ $ref, items, additionalProperties }: Property): readonly string[] {
  const name = $ref === undefined ? undefined : definitionOf($ref)
  return [
    ...(name === undefined || !hasType(name) ? [] : [name]),
    ...(items === undefined ? [] : referred(items)),
    ...(additionalProperties === undefined ? [] : referred(additionalProperties)),
  ]
}

/** The fields that are declared here; those of a kind's own metadata are the ones of every object. */
function fieldsOf(name: string): Readonly<Record<string, Property>> {
  const fields = definitions[name]?.properties ?? {}
  return isKind(name)
    ? Object.fromEntries(Object.entries(fields).filter(([key]) => !OF_EVERY_OBJECT.includes(key)))
    : fields
}

/** Lists are read by their items. */
function hasType(name: string): boolean {
  return Object.keys(definitions[name]?.properties ?? {}).length > 0 && !isList(name) && fileNameOf(name) !== ''
}

function isList(name: string): boolean {
  return name.endsWith('List') && definitions[name]?.properties?.['items'] !== undefined && isKind(name)
}

function isKind(name: string): boolean {
  return (
    definitions[name]?.['x-kubernetes-group-version-kind'] !== undefined &&
    definitions[name]?.properties?.['metadata'] !== undefined
  )
}

function definitionOf(reference: string): string {
  const name = reference.replace('#/definitions/', '')
  return name.endsWith(SCHEMA_OR_BOOL) ? name.replace(SCHEMA_OR_BOOL, 'JSONSchemaProps') : name
}

function prefixOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'))
}
function typeNameOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
function fileNameOf(name: string): string {
  return Object.entries(GROUP_VERSIONS).find(([, prefix]) => prefix === prefixOf(name))?.[0] ?? ''
}
