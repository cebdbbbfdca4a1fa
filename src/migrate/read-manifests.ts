import { isObject, type KubeObject } from '../machinery/object.ts'
import { listOf, objectOf, textOf } from '../machinery/read.ts'
import { parseYaml, YamlTextError } from '../machinery/yaml/yaml-text.ts'
import { MigrateError } from './migrate-error.ts'

const SEPARATOR = /^---(?=\s|$)/m

/** The objects of a text of YAML documents or of JSON; those of lists in place of the lists. Throws MigrateError, which names the file. */
export function readManifests(file: string, text: string): readonly KubeObject[] {
  return text.split(SEPARATOR).flatMap((document, index) => {
    const value = parsed(file, index + 1, document)
    return value === null || value === undefined ? [] : objectsOf(file, index + 1, value)
  })
}

function parsed(file: string, at: number, document: string): unknown {
  try {
    return parseYaml(document)
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    throw new MigrateError(`document ${at} of ${file} is not YAML: ${error.message}`, 'mend the file')
  }
}

function objectsOf(file: string, at: number, value: unknown): readonly KubeObject[] {
  if (
    isObject(value) &&
    textOf(value['kind']).endsWith('List') &&
    (Array.isArray(value['items']) || value['items'] === null)
  ) {
    const { kind, apiVersion } = value
    // Programs in Go print an empty list as null.
    const items = listOf(value['items'])
    // Lists of an API server, other than those of kubectl, say once what kind their items are.
    const common = kind === 'List' ? {} : { apiVersion, kind: textOf(kind).slice(0, -'List'.length) }
    return items.flatMap((item: unknown) => objectsOf(file, at, isObject(item) ? { ...common, ...item } : item))
  }
  if (isKubeObject(value)) return [value]
  throw new MigrateError(
    `document ${at} of ${file} is not an object of Kubernetes: it has no apiVersion, kind or metadata.name`,
    'give manifests, as kubectl get -o yaml prints them',
  )
}

function isKubeObject(value: unknown): value is KubeObject {
  return (
    isObject(value) &&
    textOf(value['apiVersion']) !== '' &&
    textOf(value['kind']) !== '' &&
    textOf(objectOf(value['metadata'])['name']) !== ''
  )
}
