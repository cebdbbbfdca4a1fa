export interface Answered {
  readonly code: number
  /** Its content type. */
  readonly type: string
  readonly warnings: readonly string[]
  /** The parsed body, or its text when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- scenarios look into answers of any shape
  readonly body: any
}

/** The answers of one server so far, by the `name` of the step; to take uids and versions from. */
export type Answers = Readonly<Record<string, Answered>>

/** One request that goes to both servers, and whose two answers must be the same. `WORD` stands for a word of this run. */
export interface Step {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Follows the path: a query with what the same server answered before. */
  readonly query?: (answers: Answers) => string
  /** Text is sent as it is, anything else as JSON. A function makes it from what the same server answered before. */
  readonly body?: unknown
  /** The content type of the body, when it is not JSON. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Under which later steps find the answer. */
  readonly name?: string
  /** The request is repeated until both answer the same or its time is over, as every GET is: for what controllers do. */
  readonly eventually?: boolean
  /** The condition on the real server's body that must hold before the answers count, where they may be the same too early. */
  // oxlint-disable-next-line typescript/no-explicit-any -- scenarios look into answers of any shape
  readonly until?: (body: any) => boolean
}

/** Requests in an order, in a namespace `WORD` that exists already. */
export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
}

export const JSON_PATCH = 'application/json-patch+json'
export const MERGE_PATCH = 'application/merge-patch+json'
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
export const APPLY_PATCH = 'application/apply-patch+yaml'

/** `/api/v1/namespaces/WORD/…` for core kinds (`pods`), `/apis/group/version/namespaces/WORD/…` for `group/version/plural`. */
export function at(resource: string, name?: string, subresource?: string): string {
  const parts = resource.split('/')
  const plural = parts.pop() ?? ''
  const root = parts.length === 0 ? '/api/v1' : `/apis/${parts.join('/')}`
  return [`${root}/namespaces/WORD/${plural}`, name, subresource].filter((part) => part !== undefined).join('/')
}

export const create = (resource: string, body: unknown, query = ''): Step => ({
  method: 'POST',
  path: at(resource) + query,
  body,
})
export const get = (resource: string, name: string, query = ''): Step => ({
  method: 'GET',
  path: at(resource, name) + query,
})
export const put = (resource: string, name: string, body: unknown, query = ''): Step => ({
  method: 'PUT',
  path: at(resource, name) + query,
  body,
})
export const patch = (type: string, resource: string, name: string, body: unknown, query = ''): Step => ({
  method: 'PATCH',
  path: at(resource, name) + query,
  body,
  type,
})
export const remove = (resource: string, name: string, body?: unknown, query = ''): Step => ({
  method: 'DELETE',
  path: at(resource, name) + query,
  ...(body === undefined ? {} : { body }),
})
/** Server-side apply under a manager's name. */
export const apply = (manager: string, resource: string, name: string, body: unknown, query = ''): Step =>
  patch(APPLY_PATCH, resource, name, body, `?fieldManager=${manager}${query}`)
