import { builtinTypeName } from '../resource/builtin-resources.ts'
import type { ServedResource, ServedSubresource } from '../resource/served-resource.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
export const OBJECT_META = `${META}.ObjectMeta`
export const LIST_META = `${META}.ListMeta`
export const STATUS = `${META}.Status`
export const PATCH = `${META}.Patch`
export const DELETE_OPTIONS = `${META}.DeleteOptions`
export const API_RESOURCE_LIST = `${META}.APIResourceList`

export const DEFINITIONS = '#/definitions/'
export const refTo = (name: string): { readonly $ref: string } => ({ $ref: DEFINITIONS + name })

/** Under which name OpenAPI documents define the kind: the data's own, or `com.example.v1.Widget` for custom ones. */
export function typeNameOf({ typeName, group, version, kind }: ServedResource): string {
  return typeName ?? `${packageOf(group, version)}.${kind}`
}

/** The definition name of the list of the kind. */
export function listTypeNameOf({ typeName, group, version, listKind }: ServedResource): string {
  return typeName === undefined
    ? `${packageOf(group, version)}.${listKind}`
    : `${typeName.slice(0, typeName.lastIndexOf('.'))}.${listKind}`
}

/** The definition name of what a subresource carries: its resource's kind, or a built-in one such as Scale. */
export function subresourceTypeName(parent: ServedResource, { group, version, kind }: ServedSubresource): string {
  const own = group === parent.group && version === parent.version && kind === parent.kind
  return own ? typeNameOf(parent) : builtinTypeName({ group, version, kind })
}

const packageOf = (group: string, version: string): string => [...group.split('.').toReversed(), version].join('.')
