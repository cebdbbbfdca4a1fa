/** A request, as RBAC sees it. */
export interface RecordedRequest {
  readonly verb: string
  readonly group: string
  /** `<plural>`, with the subresource behind it. */
  readonly resource: string
  /** Empty outside namespaces, and for all of them. */
  readonly namespace: string
  /** Empty for creates, and for all objects. */
  readonly name: string
}

const PATH =
  /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([a-z]+)(?:\/([^/]+)(?:\/([a-z]+))?)?$/
const ON_OBJECT: Readonly<Record<string, string>> = { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }
const ON_COLLECTION: Readonly<Record<string, string>> = { GET: 'list', POST: 'create', DELETE: 'deletecollection' }

/** The requests that a method on a path asks for: none where the path is no resource. `isNew`: it made the object. */
export function requestsOf(method: string, url: URL, isNew: boolean): readonly RecordedRequest[] {
  const [, group = '', namespace = '', plural = '', named = '', subresource] = PATH.exec(url.pathname) ?? []
  if (plural === '') return []
  const [, selected = ''] = /(?:^|,)metadata\.name=([^,]+)/.exec(url.searchParams.get('fieldSelector') ?? '') ?? []
  const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '')
  const verb = named === '' ? (isWatch ? 'watch' : ON_COLLECTION[method]) : ON_OBJECT[method]
  const of = { group, resource: subresource === undefined ? plural : `${plural}/${subresource}`, namespace }
  const asked = { ...of, verb: verb ?? method, name: named === '' ? selected : named }
  return verb === 'patch' && isNew ? [asked, { ...of, verb: 'create', name: '' }] : [asked]
}
