import { flatText } from '../../../machinery/flat-text.ts'

/** Where a request is aimed: a resource of the API, or another path. */
export type RequestTarget = ResourceTarget | { readonly type: 'path'; readonly path: string }

export interface ResourceTarget {
  readonly type: 'resource'
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  /** The rest of the path after the subresource, as for `pods/proxy`. */
  readonly rest: string
  /** Is it one of the old paths, `/api/v1/watch/…`, that ask for a watch of what they name? */
  readonly watch: boolean
}

/**
 * Reads a request path as the Kubernetes API server's RequestInfo resolver does: `/api/v1/…` and `/apis/<group>/<version>/…`
 * name resources (with `namespaces/<ns>/` before namespaced ones), everything else is a plain path. `namespaces/<name>` itself,
 * `namespaces/<name>/status` and `namespaces/<name>/finalize` are the Namespace.
 * A path with an empty part does not name a resource. An escaped slash separates parts like any other. Throws a URIError for a path with a broken escape.
 */
export function parseTarget(path: string): RequestTarget {
  if (path.includes('//')) return { type: 'path', path }
  const decoded = path.includes('%') ? decodeURIComponent(path) : path
  const parts = decoded.split('/').filter((part) => part !== '')
  const plain: RequestTarget = { type: 'path', path }
  const core = parts[0] === 'api'
  if (!core && parts[0] !== 'apis') return plain
  const asked = parts.slice(core ? 2 : 3)
  const watch = asked[0] === 'watch' && asked.length > 1
  const rest = watch ? asked.slice(1) : asked
  const [group, version] = core ? ['', parts[1]] : [parts[1], parts[2]]
  if (group === undefined || version === undefined || rest.length === 0) return plain
  const inNamespace =
    rest[0] === 'namespaces' &&
    rest.length > 2 &&
    !(core && (rest[2] === 'status' || rest[2] === 'finalize') && rest.length === 3)
  const [resource = '', name = '', subresource = '', ...tail] = inNamespace ? rest.slice(2) : rest
  return {
    type: 'resource',
    group,
    version,
    resource,
    // Both go into objects that are stored.
    namespace: inNamespace ? flatText(rest[1] ?? '') : '',
    name: flatText(name),
    subresource,
    rest: tail.join('/'),
    watch,
  }
}
