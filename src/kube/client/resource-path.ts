import { badRequest } from '../../machinery/status.ts'
import type { ResourceKind } from './kube-client.ts'

/** The part of a resource that a URL names. */
export interface PathTarget {
  /** '' or left out: all namespaces, or a resource that is in none. */
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

export type Query = Readonly<Record<string, string | undefined>>

/**
 * The path of a resource's list, or of one object or subresource. Throws ApiError (400) for what would be another path:
 * an empty name, for example, would make a request about one object one about all.
 */
export function resourcePath(kind: ResourceKind, { namespace = '', name, subresource = '' }: PathTarget): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const scope = kind.namespaced && namespace !== '' ? `/namespaces/${segment('namespace', namespace)}` : ''
  if (name === undefined) return `${root}${scope}/${kind.resource}`
  if (kind.namespaced && namespace === '')
    throw badRequest(`an empty namespace may not be set when a ${kind.resource} is requested by name`)
  const below = subresource === '' ? '' : `/${subresource.split('/').map(encodeURIComponent).join('/')}`
  return `${root}${scope}/${kind.resource}/${segment('resource name', name)}${below}`
}

/** The path with the parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value]])),
  ).toString()
  return text === '' ? path : `${path}?${text}`
}

function segment(what: string, value: string): string {
  if (value === '') throw badRequest(`${what} may not be empty`)
  if (value === '.' || value === '..') throw badRequest(`invalid ${what} "${value}": [may not be '${value}']`)
  for (const letter of ['/', '%'])
    if (value.includes(letter)) throw badRequest(`invalid ${what} "${value}": [may not contain '${letter}']`)
  return encodeURIComponent(value)
}
