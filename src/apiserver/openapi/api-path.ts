import type { GroupVersion } from '../../machinery/group-version.ts'
import { servedAt, type ServedResource, type ServedSubresource } from '../resource/served-resource.ts'
import {
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  LOG_PARAMETERS,
  NAME_IN_PATH,
  NAMESPACE_IN_PATH,
  type Parameter,
  PATCH_PARAMETERS,
  PRETTY,
  WATCH_PARAMETERS,
  WRITE_PARAMETERS,
} from './parameter.ts'
import { DELETE_OPTIONS, listTypeNameOf, PATCH, STATUS, subresourceTypeName, typeNameOf } from './type-name.ts'

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch'

/** An operation at a path, in words that OpenAPI v2 and v3 share. Types are names of definitions. */
export interface ApiOperation {
  readonly method: Method
  readonly id: string
  /** The value of `x-kubernetes-action`. */
  readonly action: string
  /** The value of `x-kubernetes-group-version-kind`. */
  readonly kind: { readonly group: string; readonly kind: string; readonly version: string }
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly type: string; readonly required: boolean; readonly mediaTypes: readonly string[] }
  /** Absent when the answer is plain text. */
  readonly result?: string
  readonly watchable: boolean
  readonly codes: readonly number[]
}

export interface ApiPath {
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly operations: readonly ApiOperation[]
}

const ANY = ['*/*']
const PATCHES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']
const STRATEGIC = 'application/strategic-merge-patch+json'

/** The paths under which a resource and its subresources are served, with the operations that its verbs allow. */
export function apiPaths(resource: ServedResource): readonly ApiPath[] {
  const root = `/${servedAt(resource)}`
  const scope = resource.namespaced ? [NAMESPACE_IN_PATH] : []
  const collection = `${root}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.resource}`
  const type = typeNameOf(resource)
  const words = { subject: `${resource.namespaced ? 'Namespaced' : ''}${resource.kind}`, resource, kind: resource }
  const can = (...verbs: readonly string[]) => verbs.filter((verb) => resource.verbs.includes(verb))
  const paths: ApiPath[] = [
    {
      path: collection,
      parameters: [...scope, ...PRETTY],
      operations: can('list', 'create', 'deletecollection').map((verb) => operation(verb, type, words)),
    },
    {
      path: `${collection}/{name}`,
      parameters: [NAME_IN_PATH, ...scope, ...PRETTY],
      operations: can('get', 'update', 'delete', 'patch').map((verb) => operation(verb, type, words)),
    },
    ...resource.subresources.map((subresource) => subresourcePath(`${collection}/{name}`, resource, subresource)),
  ]
  if (resource.namespaced) {
    const everywhere = { ...words, subject: `${resource.kind}ForAllNamespaces` }
    paths.push({
      path: `${root}/${resource.resource}`,
      parameters: PRETTY,
      operations: can('list').map((verb) => operation(verb, type, everywhere)),
    })
  }
  return paths.filter(({ operations }) => operations.length > 0)
}

function subresourcePath(item: string, parent: ServedResource, subresource: ServedSubresource): ApiPath {
  const type = subresourceTypeName(parent, subresource)
  const scope = parent.namespaced ? [NAMESPACE_IN_PATH] : []
  const words = {
    subject: `${parent.namespaced ? 'Namespaced' : ''}${parent.kind}${capitalized(subresource.name)}`,
    resource: parent,
    kind: subresource,
  }
  const verbs = ['get', 'update', 'create', 'delete', 'patch'].filter((verb) => subresource.verbs.includes(verb))
  const isLog = subresource.name === 'log'
  return {
    path: `${item}/${subresource.name}`,
    parameters: [NAME_IN_PATH, ...scope, ...PRETTY],
    operations: verbs.map((verb) => {
      const { result, ...rest } = operation(verb, type, words)
      return isLog ? { ...rest, parameters: LOG_PARAMETERS } : { ...rest, ...(result === undefined ? {} : { result }) }
    }),
  }
}

interface Words {
  readonly subject: string
  readonly resource: ServedResource
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
}

/** The part of an operation that depends on its verb. `word` and `infix` make its id. */
type VerbPart = Pick<ApiOperation, 'method' | 'action' | 'parameters'> &
  Partial<Pick<ApiOperation, 'body' | 'result' | 'codes' | 'watchable'>> & {
    readonly word: string
    readonly infix?: string
  }

const OPTIONS = { type: DELETE_OPTIONS, required: false, mediaTypes: ANY }

/** The operations by verb. */
const VERBS: Readonly<Record<string, (type: string, resource: ServedResource) => VerbPart>> = {
  list: (_, resource) => {
    const watchable = resource.verbs.includes('watch')
    const parameters = watchable ? [...LIST_PARAMETERS, ...WATCH_PARAMETERS] : LIST_PARAMETERS
    return { method: 'get', word: 'list', action: 'list', parameters, watchable, result: listTypeNameOf(resource) }
  },
  create: (type) => ({
    method: 'post',
    word: 'create',
    action: 'post',
    parameters: WRITE_PARAMETERS,
    body: { type, required: true, mediaTypes: ANY },
    codes: [200, 201, 202],
  }),
  deletecollection: () => ({
    method: 'delete',
    word: 'delete',
    infix: 'Collection',
    action: 'deletecollection',
    parameters: DELETE_COLLECTION_PARAMETERS,
    body: OPTIONS,
    result: STATUS,
  }),
  get: () => ({ method: 'get', word: 'read', action: 'get', parameters: [] }),
  update: (type) => ({
    method: 'put',
    word: 'replace',
    action: 'put',
    parameters: WRITE_PARAMETERS,
    body: { type, required: true, mediaTypes: ANY },
    codes: [200, 201],
  }),
  patch: (_, { custom }) => ({
    method: 'patch',
    word: 'patch',
    action: 'patch',
    parameters: PATCH_PARAMETERS,
    body: { type: PATCH, required: true, mediaTypes: custom ? PATCHES : [...PATCHES, STRATEGIC] },
    codes: [200, 201],
  }),
  delete: () => ({
    method: 'delete',
    word: 'delete',
    action: 'delete',
    parameters: DELETE_PARAMETERS,
    body: OPTIONS,
    result: STATUS,
    codes: [200, 202],
  }),
}

function operation(
  verb: string,
  type: string,
  { subject, resource, kind: { group, version, kind } }: Words,
): ApiOperation {
  const made = VERBS[verb]?.(type, resource)
  if (made === undefined) throw new TypeError(`no operation is known for the verb ${verb}`)
  const { word, infix = '', ...rest } = made
  const id = `${word}${groupWords(resource.group)}${capitalized(resource.version)}${infix}${subject}`
  return { kind: { group, kind, version }, result: type, watchable: false, codes: [200], id, ...rest }
}

/** `Core`, `Apps`, `RbacAuthorization`, `StableExampleCom`: the group as operation ids and tags spell it. */
export function groupWords(group: string): string {
  if (group === '') return 'Core'
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[^a-zA-Z0-9]+/)
    .map(capitalized)
    .join('')
}

/** `core_v1`, `rbacAuthorization_v1`: the tag of a group version's operations. */
export function tagOf({ group, version }: GroupVersion): string {
  const words = groupWords(group)
  return `${words.slice(0, 1).toLowerCase()}${words.slice(1)}_${version}`
}

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
