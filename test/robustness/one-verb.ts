import { Client } from 'undici'
import type { StoreEvent } from '../../src/store/record/event.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { InProcess } from '../in-process.ts'
import { type Fixture, markOf } from './one-verb-fixtures.ts'

/** Which objects a user may touch: all, or the one named `a`. */
export interface Person {
  readonly user: string
  readonly verb: string
  readonly onlyNamed: boolean
}

export interface Attempt {
  readonly method: string
  readonly path: string
  readonly subresource: string
  readonly body?: object
  readonly type: string
}

/** The result of an attempt. */
export interface Effect {
  readonly code: number
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
  /** The shape in which objects came back: a watch, a list, one object, or none. */
  readonly read: 'watch' | 'list' | 'get' | ''
  /** The objects whose content came back. */
  readonly seen: readonly string[]
  readonly token: boolean
}

export const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'] as const

/** The method that Kubernetes documents for each verb. */
export const METHOD_OF: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}
const SUBRESOURCES =
  'status scale eviction binding token finalize approval log exec attach portforward proxy resize ephemeralcontainers unknown'.split(
    ' ',
  )
const FIXED = ['a', 'b']
/** Objects that the control plane itself creates in a namespace do not count. */
const isTried = (name: string): boolean => FIXED.includes(name) || name === 'missing' || name.startsWith('new-')
/** A watch that asks for less than no time ends when it has given what there is. */
const AT_ONCE = 'timeoutSeconds=-1'

/** Every shape of route to a kind, with every method. */
export function attempts(fixture: Fixture): readonly Attempt[] {
  const { root, namespaced, plural } = fixture
  const home = namespaced ? `namespaces/${fixture.namespace}/${plural}` : plural
  const encoded = home.replace(plural, `%${(plural.codePointAt(0) ?? 0).toString(16)}${plural.slice(1)}`)
  const collections = [home, `${home}/`, encoded, `watch/${home}`, ...(namespaced ? [plural, `watch/${plural}`] : [])]
  const queries = ['', '&watch=true', '&watch=0', '&fieldSelector=metadata.name%3Da']
  const objects = ['a', 'a/', 'missing'].flatMap((name) => [`${home}/${name}`, `watch/${home}/${name}`])
  const slashed = `${home}%2Fa`
  const parts = SUBRESOURCES.flatMap((name) => [`${home}/a/${name}`, `watch/${home}/a/${name}`, `${home}/a/${name}/x`])
  const paths = [
    ...collections.flatMap((path) => queries.map((query) => `${path}?${AT_ONCE}${query}`)),
    ...[...objects, slashed, ...parts].map((path) => `${path}?${AT_ONCE}`),
    `${home}/a?${AT_ONCE}&watch=true`,
  ]
  return paths.flatMap((path) =>
    METHODS.map((method): Attempt => {
      const subresource = SUBRESOURCES.find((one) => path.includes(`/a/${one}`)) ?? ''
      const applies = method === 'PATCH' && path.includes('missing')
      const body = fixture.body(method, subresource, applies)
      return {
        method,
        path: `${root}/${path}${applies ? '&fieldManager=test' : ''}`,
        subresource,
        ...(body === undefined ? {} : { body }),
        type: applies
          ? 'application/apply-patch+yaml'
          : method === 'PATCH'
            ? 'application/merge-patch+json'
            : 'application/json',
      }
    }),
  )
}

/** Sends attempts as one person or another, and notes what becomes of the fixture. */
export class Prober implements AsyncDisposable {
  readonly #server: InProcess
  readonly #fixture: Fixture
  readonly #client: Client
  readonly #close: () => void
  #events: StoreEvent[] = []

  constructor(server: InProcess, fixture: Fixture) {
    const { bucket } = fixture
    this.#fixture = fixture
    this.#server = server
    this.#client = new Client(server.url)
    const from = server.store.revision
    const handle = server.store.watch({ bucket, namespace: undefined, from }, (event) => void this.#events.push(event))
    this.#close = () => handle.close()
  }

  async attempt({ method, path, body, type }: Attempt, user: string): Promise<Effect> {
    this.#events = []
    const response = await this.#client.request({
      method,
      path,
      headers: {
        authorization: `Bearer ${this.#server.token}`,
        'impersonate-user': user,
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      body: body === undefined ? null : JSON.stringify(method === 'PUT' ? this.#replacing(body) : body),
    })
    const text = await response.body.text()
    const code = response.statusCode
    const names = (test: (event: StoreEvent) => boolean): readonly string[] =>
      [...new Set(this.#events.filter(test).map(({ record }) => record.object.metadata.name ?? ''))].filter(isTried)
    const isGone = ({ type: what, record }: StoreEvent): boolean =>
      what === 'deleted' || record.object.metadata.deletionTimestamp !== undefined
    const seen = FIXED.filter(
      (name) => text.includes(markOf(name)) || (name === 'a' && text.startsWith('{"kind":"Scale"')),
    )
    const shape = text.startsWith('{"type":') ? 'watch' : /^\{"kind":"\w+List"/.test(text) ? 'list' : 'get'
    return {
      code,
      created: names((event) => event.previous === undefined),
      changed: names((event) => event.previous !== undefined && !isGone(event)),
      deleted: names(isGone),
      read: seen.length > 0 ? shape : '',
      seen,
      token: text.includes('"expirationTimestamp"'),
    }
  }

  /** A replacement is based on the object as it stands, as clients do it. */
  #replacing(body: object): object {
    const { bucket, namespaced, namespace } = this.#fixture
    const { kind, metadata, ...rest } = body as KubeObject
    const old = this.#server.store.latest(bucket, namespaced ? `${namespace}/a` : 'a')?.object
    if (old === undefined || kind !== old.kind) return body
    const annotations = { ...old.metadata.annotations, ...metadata.annotations }
    if ('spec' in rest && kind === 'Namespace') return body
    return {
      ...rest,
      ...old,
      ...('status' in rest ? { status: rest['status'] } : {}),
      metadata: { ...old.metadata, annotations },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close()
    await this.#client.destroy()
  }
}

/** Why an effect is more than the one verb of the person allows; undefined when it is not. */
export function excess({ verb, onlyNamed }: Person, attempt: Attempt, effect: Effect): string | undefined {
  const { method, subresource } = attempt
  const { created, changed, deleted, read, seen, token, code } = effect
  const wrote = created.length + changed.length + deleted.length > 0
  const touched = [...created, ...changed, ...deleted, ...seen]
  if (onlyNamed && touched.some((name) => name !== 'a')) return 'touched another object than the one that it may'
  if (wrote && METHOD_OF[verb] !== method) return `wrote by ${method}`
  if (created.length > 0 && verb !== 'create') return 'created'
  // A binding gives the pod its node, and an eviction says in the pod's conditions why it goes.
  const changes =
    ['update', 'patch'].includes(verb) || (verb === 'create' && ['binding', 'eviction'].includes(subresource))
  if (changed.length > 0 && !changes) return 'changed'
  const deletes = verb.startsWith('delete') || (verb === 'create' && subresource === 'eviction')
  if (deleted.length > 0 && !deletes) return 'deleted'
  if (deleted.length > 1 && verb !== 'deletecollection') return 'deleted more than one'
  if (token && verb !== 'create') return 'got a token'
  const reads = method === 'GET' || method === 'HEAD'
  if (read !== '' && reads && read !== verb) return `read as by ${read}`
  if (read !== '' && !reads && METHOD_OF[verb] !== method) return `read by ${method}`
  if (code < 300 && reads && !['get', 'list', 'watch'].includes(verb)) return 'was let in'
  return code < 300 && !reads && METHOD_OF[verb] !== method ? `was let in by ${method}` : undefined
}
