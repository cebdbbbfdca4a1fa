import { parseJson } from '../../machinery/json-text.ts'
import { type JsonObject, type KubeObject, type ObjectMeta, isObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status.ts'
import type { AnswerReader, KeptList } from './answer-reader.ts'
import { type RequestSubject, errorOfAnswer } from '../transport/answer-error.ts'
import type {
  CallOptions,
  DeleteCallOptions,
  KubeClient,
  ListCallOptions,
  Listed,
  ObjectName,
  Patch,
  ResourceKind,
  WatchCallOptions,
  WatchEvent,
  WriteCallOptions,
} from './kube-client.ts'
import { type ListPage, type Paging, type ReadPage, readAllPages, readPages } from './paged-list.ts'
import { ServerUnreachable } from '../transport/server-unreachable.ts'
import type { Transport, TransportAnswer, TransportRequest } from '../transport/transport.ts'
import { watchEvents } from './watch-events.ts'

/** A list without limit may be long. */
const WHOLE_LIST_DEADLINE_MS = 120_000
/** How long a watch lasts, as client-go asks for: at random, so that not all end in one moment. */
const WATCH_SECONDS = { least: 300, most: 600 } as const
/** A server that has not ended a watch by then is not there any more. */
const WATCH_GRACE_MS = 30_000

const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
}

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

export interface RawOptions extends CallOptions {
  /** Left out: JSON. */
  readonly accept?: string
}

/** A client of an API server over HTTP. Besides what `KubeClient` says, calls may throw CredentialError or KubeconfigError. */
export class HttpKubeClient implements KubeClient {
  readonly #transport: Pick<Transport, 'send' | 'stream' | 'server'>
  readonly #random: () => number
  readonly #reader: AnswerReader | undefined

  /** `reader`: what bounds the memory of that which is read; by default nothing does. */
  constructor(transport: Pick<Transport, 'send' | 'stream' | 'server'>, random: () => number, reader?: AnswerReader) {
    this.#transport = transport
    this.#random = random
    this.#reader = reader
  }

  async get<T extends KubeObject>(kind: ResourceKind, name: ObjectName, options: CallOptions = {}): Promise<T> {
    return await this.#object<T>(about(kind, 'GET', name.name), {
      method: 'GET',
      path: resourcePath(kind, name),
      ...signalOf(options),
    })
  }

  async getMetadata(kind: ResourceKind, name: ObjectName, options: CallOptions = {}): Promise<ObjectMeta> {
    const request = { method: 'GET', path: resourcePath(kind, name), accept: METADATA_ONLY, ...signalOf(options) }
    return (await this.#object<KubeObject>(about(kind, 'GET', name.name), request)).metadata
  }

  async list<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): Promise<Listed<T>> {
    return await readAllPages(this.#pages<T>(kind, options), this.#paging(options))
  }

  listPages<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions = {}): AsyncGenerator<Listed<T>, void> {
    return readPages(this.#pages<T>(kind, options), this.#paging(options))
  }

  async create<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteCallOptions = {}): Promise<T> {
    const { namespace = '', name } = object.metadata
    const below = options.subresource ?? ''
    if (kind.namespaced && namespace === '') throw badRequest('an empty namespace may not be set during creation')
    const target = below === '' ? { namespace } : { namespace, name: name ?? '', subresource: below }
    return await this.#object<T>(about(kind, 'POST', name), {
      method: 'POST',
      path: withQuery(resourcePath(kind, target), dryRun(options)),
      body: JSON.stringify(object),
      ...writeOf(options),
      ...(options.single === true ? { single: true } : {}),
    })
  }

  async update<T extends KubeObject>(kind: ResourceKind, object: T, options: WriteCallOptions = {}): Promise<T> {
    const { namespace = '', name = '' } = object.metadata
    const path = resourcePath(kind, { namespace, name, subresource: options.subresource ?? '' })
    return await this.#object<T>(about(kind, 'PUT', name), {
      method: 'PUT',
      path: withQuery(path, dryRun(options)),
      body: JSON.stringify(object),
      ...writeOf(options),
    })
  }

  async patch<T extends KubeObject>(
    kind: ResourceKind,
    name: ObjectName,
    patch: Patch,
    options: WriteCallOptions = {},
  ): Promise<T> {
    return await this.#object<T>(about(kind, 'PATCH', name.name), patchRequest(kind, name, patch, options))
  }

  async patchMetadata(
    kind: ResourceKind,
    name: ObjectName,
    patch: Patch,
    options: WriteCallOptions = {},
  ): Promise<ObjectMeta> {
    const request = { ...patchRequest(kind, name, patch, options), accept: METADATA_ONLY }
    return (await this.#object<KubeObject>(about(kind, 'PATCH', name.name), request)).metadata
  }

  async delete(kind: ResourceKind, name: ObjectName, options: DeleteCallOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy } = options
    const expected = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    }
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(Object.keys(expected).length === 0 ? {} : { preconditions: expected }),
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
    }
    await this.#json(about(kind, 'DELETE', name.name), {
      method: 'DELETE',
      path: resourcePath(kind, { ...name, subresource: options.subresource ?? '' }),
      body: JSON.stringify(body),
      ...writeOf(options),
    })
  }

  async *watch<T extends KubeObject>(
    kind: ResourceKind,
    options: WatchCallOptions,
  ): AsyncGenerator<WatchEvent<T>, void> {
    const { least, most } = WATCH_SECONDS
    const seconds = Math.round(least + this.#random() * (most - least))
    const path = resourcePath(kind, { namespace: options.namespace ?? '' })
    const query = {
      ...selectors(options),
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(seconds),
    }
    const answer = await this.#transport.stream(
      {
        method: 'GET',
        path: withQuery(path, query),
        ...(options.metadataOnly === true ? { accept: `${METADATA_ONLY},application/json` } : {}),
        ...signalOf(options),
      },
      seconds * 1000 + WATCH_GRACE_MS,
    )
    if (!('chunks' in answer)) throw errorOfAnswer(answer, about(kind, 'GET'))
    options.opened?.()
    yield* watchEvents<T>(answer.chunks, this.#transport.server)
  }

  async request(method: string, path: string, body?: unknown, options: RawOptions = {}): Promise<unknown> {
    return await this.#json(
      { method },
      {
        method,
        path,
        ...(options.accept === undefined ? {} : { accept: options.accept }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...signalOf(options),
      },
    )
  }

  #paging({ pageSize }: ListCallOptions): Paging {
    return { pageSize, isBounded: this.#reader !== undefined }
  }

  #pages<T extends KubeObject>(kind: ResourceKind, options: ListCallOptions): ReadPage<T> {
    const path = resourcePath(kind, { namespace: options.namespace ?? '' })
    let kept: KeptList | undefined
    return async ({ limit, continueToken }) => {
      if (continueToken === '') kept = this.#reader?.beginList()
      const query = {
        ...selectors(options),
        // Where to go on says already which version it is about.
        ...(continueToken === '' ? { resourceVersion: options.resourceVersion } : { continue: continueToken }),
        limit: limit === undefined ? undefined : String(limit),
      }
      const request = {
        method: 'GET',
        path: withQuery(path, query),
        ...(limit === undefined ? { deadlineMs: WHOLE_LIST_DEADLINE_MS } : {}),
        ...signalOf(options),
      }
      return await this.#read(about(kind, 'GET'), request, (answer, length) => {
        const page = pageOf<T>(kind, answer) ?? this.#noApi(path)
        return { ...(kept === undefined ? page : keptOf(page, kept)), length }
      })
    }
  }

  async #object<T extends KubeObject>(subject: RequestSubject, request: TransportRequest): Promise<T> {
    const answer = await this.#json(subject, request)
    return isObject(answer) && isObject(answer['metadata']) ? (answer as unknown as T) : this.#noApi(request.path)
  }

  async #json(subject: RequestSubject, request: TransportRequest): Promise<unknown> {
    return await this.#read(subject, request, (answer) => answer)
  }

  /** The result of `read` of an answer and its length. Until then the bytes of the answer count. */
  async #read<R>(
    subject: RequestSubject,
    request: TransportRequest,
    read: (answer: unknown, length: number) => R,
  ): Promise<R> {
    const count = this.#reader?.begin()
    try {
      const answer = await this.#transport.send(
        count === undefined ? request : { ...request, received: count.received },
      )
      if (answer.status < 200 || answer.status > 299) throw errorOfAnswer(answer, subject)
      return read(this.#parsed(answer, request.path), answer.text.length)
    } finally {
      count?.end()
    }
  }

  #parsed({ text }: TransportAnswer, path: string): unknown {
    try {
      return parseJson(text)
    } catch {
      return this.#noApi(path)
    }
  }

  #noApi(path: string): never {
    const where = `${this.#transport.server}${path.replace(/\?.*$/, '')}`
    throw new ServerUnreachable('no-api-server', `${where} answered with something that no API server answers`)
  }
}

function patchRequest(kind: ResourceKind, name: ObjectName, patch: Patch, options: WriteCallOptions): TransportRequest {
  const path = resourcePath(kind, { ...name, subresource: options.subresource ?? '' })
  const applying: Query =
    patch.type === 'apply' ? { fieldManager: patch.fieldManager, force: patch.force === true ? 'true' : undefined } : {}
  return {
    method: 'PATCH',
    path: withQuery(path, { ...dryRun(options), ...applying }),
    body: JSON.stringify(patch.body),
    contentType: PATCH_TYPES[patch.type],
    ...writeOf(options),
  }
}

function about(kind: ResourceKind, method: string, name = ''): RequestSubject {
  return { method, resource: kind, name }
}

const signalOf = ({ signal }: CallOptions): Pick<TransportRequest, 'signal'> => (signal === undefined ? {} : { signal })

const writeOf = (options: WriteCallOptions): Pick<TransportRequest, 'signal' | 'warned'> => ({
  ...signalOf(options),
  ...(options.warned === undefined ? {} : { warned: options.warned }),
})

const dryRun = (options: WriteCallOptions): Query => ({ dryRun: options.dryRun === true ? 'All' : undefined })

const selectors = ({ labelSelector, fieldSelector }: ListCallOptions): Query => ({ labelSelector, fieldSelector })

/** Items of a list do not say what they are; the list's kind says it. */
function pageOf<T extends KubeObject>(kind: ResourceKind, answer: unknown): Page<T> | undefined {
  if (!isObject(answer) || !isObject(answer['metadata'])) return undefined
  const { resourceVersion, continue: token, remainingItemCount: remaining } = answer['metadata']
  const items: unknown = answer['items'] ?? []
  if (!Array.isArray(items)) return undefined
  const type = { apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`, kind: kind.kind }
  return {
    items: items.map((item: JsonObject) => ({ ...type, ...item }) as unknown as T),
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    continueToken: typeof token === 'string' ? token : '',
    // API servers count what follows of lists without selectors only.
    remaining: token === undefined || token === '' ? 0 : typeof remaining === 'number' ? remaining : undefined,
  }
}

type Page<T extends KubeObject> = Omit<ListPage<T>, 'length'>

/** The kept items of a page. A page of which an item is not kept is the last one. */
function keptOf<T extends KubeObject>(page: Page<T>, list: KeptList): Page<T> {
  const items: T[] = []
  for (const item of page.items) {
    const kept = list.keep(item)
    if (kept === undefined) {
      const left = page.remaining === undefined ? undefined : page.items.length - items.length + page.remaining
      return { ...page, items, continueToken: '', cut: { left } }
    }
    items.push(kept)
  }
  return { ...page, items }
}

/** The part of a resource that a URL names. */
interface PathTarget {
  /** '' or left out: all namespaces, or a resource that is in none. */
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

type Query = Readonly<Record<string, string | undefined>>

/**
 * The path of a resource's list, or of one object or subresource. Throws ApiError (400) for what would be another path:
 * an empty name, for example, would make a request about one object one about all.
 */
export function resourcePath(kind: ResourceKind, { namespace = '', name, subresource = '' }: PathTarget): string {
  const version = segment('version', kind.version)
  const root = kind.group === '' ? `/api/${version}` : `/apis/${segment('group', kind.group)}/${version}`
  const scope = kind.namespaced && namespace !== '' ? `/namespaces/${segment('namespace', namespace)}` : ''
  if (name === undefined) return `${root}${scope}/${kind.resource}`
  if (kind.namespaced && namespace === '')
    throw badRequest(`an empty namespace may not be set when a ${kind.resource} is requested by name`)
  const below = subresource === '' ? '' : `/${subresource.split('/').map(encodeURIComponent).join('/')}`
  return `${root}${scope}/${kind.resource}/${segment('resource name', name)}${below}`
}

/** The path with the parameters that have a value. */
function withQuery(path: string, query: Query): string {
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
