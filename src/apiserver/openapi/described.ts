import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { OpenApiDefinitions } from './custom-definition.ts'
import { FIELD_SENTENCES } from './field-sentences.ts'

const REFERENCE = 'https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/'

/** `io.k8s.api.apps.v1.Deployment` and its like: package, version and type. */
const API_TYPE =
  /^io\.k8s\.(?:api|apiextensions-apiserver\.pkg\.apis|kube-aggregator\.pkg\.apis)\.(\w+)\.(v\w+)\.(\w+)$/
const META_TYPE = /^io\.k8s\.apimachinery\.pkg\.apis\.meta\.(v1)\.(\w+)$/

/** Definitions with sentences of our own, and for other types one that says where Kubernetes describes them. */
export function describedDefinitions(definitions: OpenApiDefinitions): OpenApiDefinitions {
  const groups = groupsOf(definitions)
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, described(name, definition, groups)]),
  )
}

function described(name: string, definition: JsonObject, groups: ReadonlyMap<string, string>): JsonObject {
  const sentences = FIELD_SENTENCES[name]
  if (sentences === undefined) {
    const place = placeOf(name, groups)
    return place === undefined ? definition : { ...definition, description: `Kubernetes describes this type: ${place}` }
  }
  const { properties } = definition
  return {
    ...definition,
    description: sentences.type,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([field, schema]) => {
              const description = sentences.fields[field]
              return [field, isObject(schema) && description !== undefined ? { ...schema, description } : schema]
            }),
          ),
        }
      : {}),
  }
}

/** The API group of each package of types: `rbac` is `rbac.authorization.k8s.io`. */
function groupsOf(definitions: OpenApiDefinitions): ReadonlyMap<string, string> {
  const groups = new Map<string, string>()
  for (const [name, definition] of Object.entries(definitions)) {
    const [, part = ''] = API_TYPE.exec(name) ?? []
    const kinds = definition['x-kubernetes-group-version-kind']
    const [kind]: readonly unknown[] = Array.isArray(kinds) ? kinds : []
    // Some options are of many groups; a type of a package with one kind is of that kind's group.
    if (part !== '' && isObject(kind) && Array.isArray(kinds) && kinds.length === 1)
      groups.set(part, String(kind['group']))
  }
  return groups
}

/** Where the reference of Kubernetes has the type: its anchors are type, version and group. */
function placeOf(name: string, groups: ReadonlyMap<string, string>): string | undefined {
  const [, part = '', version = '', type = ''] = API_TYPE.exec(name) ?? []
  if (type !== '') {
    const group = (groups.get(part) ?? part).replaceAll('.', '-')
    return `${REFERENCE}#${type.toLowerCase()}-${version}-${group === '' ? 'core' : group}`
  }
  const [, metaVersion = '', metaType = ''] = META_TYPE.exec(name) ?? []
  return metaType === '' ? undefined : `${REFERENCE}#${metaType.toLowerCase()}-${metaVersion}-meta`
}
