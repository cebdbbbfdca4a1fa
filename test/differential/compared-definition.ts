import { MERGE_PATCH, type Step } from './scenario.ts'

type Tree = Readonly<Record<string, unknown>>

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** The group of every definition of a run. */
export const GROUP = 'WORD.example.com'

/** A schema of an object with these properties, all else pruned. */
export const object = (properties: Tree, more: Tree = {}): Tree => ({ type: 'object', properties, ...more })

/** A version whose objects have the schema; it is served and, unless `more` says otherwise, stored. */
export const version = (name: string, schema: unknown, more: Tree = {}): Tree => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
})

/** A definition of kind `Kind` in the plural `kinds`, with these versions. */
export const definition = (kind: string, versions: unknown, spec: Tree = {}): Tree => {
  const plural = `${kind.toLowerCase()}s`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions, ...spec },
  }
}

export const define = (body: unknown, query = ''): Step => ({ method: 'POST', path: DEFINITIONS + query, body })
/** A definition that is only tried: whether it would be taken. */
export const tried = (body: unknown): Step => define(body, '?dryRun=All')
export const getDefinition = (plural: string, subresource = ''): Step => ({
  method: 'GET',
  path: `${DEFINITIONS}/${plural}.${GROUP}${subresource}`,
})
export const putDefinition = (plural: string, body: unknown, subresource = ''): Step => ({
  method: 'PUT',
  path: `${DEFINITIONS}/${plural}.${GROUP}${subresource}`,
  body,
})
export const patchDefinition = (plural: string, body: unknown, type = MERGE_PATCH, subresource = ''): Step => ({
  method: 'PATCH',
  path: `${DEFINITIONS}/${plural}.${GROUP}${subresource}`,
  body,
  type,
})
export const undefine = (plural: string): Step => ({ method: 'DELETE', path: `${DEFINITIONS}/${plural}.${GROUP}` })

/** `group/version/plural`, as the builders of steps take it. */
export const resource = (plural: string, name = 'v1'): string => `${GROUP}/${name}/${plural}`

/** An object of a kind of the run's group. */
export const instance = (kind: string, name: string, fields: Tree = {}, apiVersion = 'v1'): Tree => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind,
  metadata: { name },
  ...fields,
})

/** Defines and waits until both servers serve the objects, of which the list tells. */
export const defined = (body: Tree, plural: string, name = 'v1'): readonly Step[] => [
  define(body),
  { ...getDefinition(plural), eventually: true },
  served(plural, name),
]

/** Waits until both servers answer the list of a resource in the same way. */
export const served = (plural: string, name = 'v1'): Step => ({
  method: 'GET',
  path: `/apis/${GROUP}/${name}/${plural}`,
  eventually: true,
})
