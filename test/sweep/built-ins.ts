import { readFileSync } from 'node:fs'
import { builtinResources } from '../../src/apiserver/resource/builtin-resources.ts'
import { builtInStrategies } from '../../src/apiserver/resource/built-in-strategies.ts'
import { Registry } from '../../src/apiserver/resource/registry.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import { qualified } from '../../src/machinery/status.ts'
import { compileSchema } from '../../src/schema/type/compile.ts'
import { VALID } from '../fuzz/valid-objects.ts'
import { entries, type Style, withAt } from './entries.ts'
import { builtInPlaces, type Place } from './schema-places.ts'
import { type Document, type Kind, NAMESPACE } from './swept-plane.ts'

const read = (name: string): never =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}`, import.meta.url), 'utf8')) as never
const { definitions } = read('kubernetes-1.36-definitions.json') as { definitions: never }
const registry = new Registry(
  compileSchema(definitions),
  builtinResources(read('kubernetes-1.36-resources.json'), builtInStrategies),
  builtInStrategies,
)

/** Every list and map of every built-in kind that can be stored, which a Binding cannot. */
export const everyPlace = builtInPlaces(registry).filter(({ resource }) => resource.served.resource !== 'bindings')

/** A namespace and a definition that are stored as they are set controllers off. */
export const canStandStored = ({ resource: { bucket } }: Place): boolean =>
  !['namespaces', 'customresourcedefinitions.apiextensions.k8s.io'].includes(bucket)

export const nameOf = ({ resource, path }: Place): string => `${qualified(resource.id)} ${path.join('.')}`

export function kindOf({ resource: { served, apiVersion, bucket } }: Place): Kind {
  const { namespaced, resource } = served
  const root = served.group === '' ? '/api/v1' : `/apis/${apiVersion}`
  return { path: `${root}${namespaced ? `/namespaces/${NAMESPACE}` : ''}/${resource}`, bucket, namespaced }
}

/** A valid object of the place's kind, with so many entries in the place. */
export function documentOf(place: Place, style: Style): Document {
  const { resource, type, path } = place
  const base: JsonObject = {
    apiVersion: resource.apiVersion,
    kind: resource.served.kind,
    metadata: { name: NAMESPACE },
    ...VALID[qualified(resource.id)],
  }
  return (count) => withAt(resource.merging, base, place, entries(type, path.at(-1) ?? '', count, style))
}

/** How a stored object is changed. */
export const CHANGES: Readonly<Record<string, readonly [method: string, type: string, query?: string]>> = {
  replaced: ['PUT', 'application/json'],
  'merged by its keys': ['PATCH', 'application/strategic-merge-patch+json'],
  'merged as JSON': ['PATCH', 'application/merge-patch+json'],
  applied: ['PATCH', 'application/apply-patch+yaml', '&fieldManager=me&force=true'],
}
