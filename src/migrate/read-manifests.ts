import { isObject, type KubeObject } from '../machinery/object.ts'
import { listOf, objectOf, textOf } from '../machinery/read.ts'
import { parseYaml, YamlTextError } from '../machinery/yaml/text.ts'
import { yamlPosition } from '../machinery/yaml/position.ts'
import { MigrateError } from './error.ts'

const SEPARATOR = /^---(?=\s|$)/m

/** Where an object stands. */
interface Place {
  readonly file: string
  /** The document that holds it, its number in the file, and how many lines stand before it. */
  readonly document: string
  readonly at: number
  readonly linesBefore: number
  /** Its path in the document, such as `items[2]`; empty for the document itself. */
  readonly path: string
}

/** An object with where it stands. */
export interface PlacedManifest {
  readonly object: KubeObject
  readonly place: Place
}

/** Manifests that are accepted besides complete ones. */
export interface ManifestOptions {
  /** May it have `metadata.generateName` in place of a name, as those that are created may? */
  readonly mayBeNameless?: boolean
}

/**
 * The objects of a text of YAML documents or of JSON; those of lists in place of the lists. Throws MigrateError, which names the file.
 * @public for tests
 */
export const readManifests = (file: string, text: string, options: ManifestOptions = {}): readonly KubeObject[] =>
  placedManifests(file, text, options).map(({ object }) => object)

/** As `readManifests`, with where each object stands. Throws MigrateError. */
export function placedManifests(file: string, text: string, options: ManifestOptions = {}): readonly PlacedManifest[] {
  let linesBefore = 0
  return text.split(SEPARATOR).flatMap((document, index) => {
    const place = { file, document, at: index + 1, linesBefore, path: '' }
    linesBefore += document.split('\n').length - 1
    const value = parsed(file, index + 1, document)
    return value === null || value === undefined ? [] : objectsOf(place, value, options)
  })
}

/** Names the line of a field of an object, as `app.yaml:7`. */
export function lineOf({ file, document, linesBefore, path }: Place, field: string): string {
  const { line } = yamlPosition(document, path === '' ? field : `${path}.${field}`)
  return `${file}:${linesBefore + line}`
}

function parsed(file: string, at: number, document: string): unknown {
  try {
    return parseYaml(document)
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    throw new MigrateError(`document ${at} of ${file} is not YAML: ${error.message}`, 'mend the file')
  }
}

function objectsOf(place: Place, value: unknown, options: ManifestOptions): readonly PlacedManifest[] {
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
    return items.flatMap((item: unknown, index) => {
      const path = `${place.path === '' ? '' : `${place.path}.`}items[${index}]`
      return objectsOf({ ...place, path }, isObject(item) ? { ...common, ...item } : item, options)
    })
  }
  if (isKubeObject(value, options)) return [{ object: value, place }]
  throw new MigrateError(
    `document ${place.at} of ${place.file} is not an object of Kubernetes: it has no apiVersion, kind or metadata.name`,
    'give manifests, as kubectl get -o yaml prints them',
  )
}

/** Is a value an object of Kubernetes, as far as manifests have to be one? */
export function isKubeObject(value: unknown, { mayBeNameless = false }: ManifestOptions = {}): value is KubeObject {
  if (!isObject(value) || textOf(value['apiVersion']) === '' || textOf(value['kind']) === '') return false
  const { name, generateName } = objectOf(value['metadata'])
  return textOf(name) !== '' || (mayBeNameless && textOf(generateName) !== '')
}
