import { readFileSync } from 'node:fs'
import { builtinResources } from '../../src/apiserver/resource/builtin-resources.ts'
import { type ServedResource, servedAt } from '../../src/apiserver/resource/served-resource.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { BodyGenerator, type FuzzBody } from './body-generator.ts'
import { ACCEPTS, APPLY_TYPE, IMPERSONATIONS, NAMES, NAMESPACES, PARAMETERS, VALUES } from './words.ts'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  /** Content-Type goes with the body. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Its answer may have no end. */
  readonly watch: boolean
  readonly http2: boolean
  /** The resource whose object a success would answer with. */
  readonly resource: ServedResource
}

const custom: ServedResource = {
  group: 'fuzz.test',
  version: 'v1',
  resource: 'things',
  kind: 'Thing',
  listKind: 'ThingList',
  singular: 'thing',
  namespaced: true,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: ['status', 'scale'].map((name) => ({
    name,
    group: 'fuzz.test',
    version: 'v1',
    kind: 'Thing',
    verbs: [],
  })),
}
/** All that is served: the built-in resources and `things`, as long as somebody has defined them. */
export const RESOURCES: readonly ServedResource[] = [
  ...builtinResources(
    JSON.parse(readFileSync(new URL('../../schemas/kubernetes-1.36-resources.json', import.meta.url), 'utf8')),
  ),
  custom,
]

/** Resources that quota and its neighbours look into get more than their share. */
const FAVOURITES = [
  'pods',
  'services',
  'persistentvolumeclaims',
  'resourcequotas',
  'limitranges',
  'configmaps',
  'secrets',
  'deployments',
  'replicasets',
  'jobs',
  'customresourcedefinitions',
  'namespaces',
  'poddisruptionbudgets',
  'things',
  'serviceaccounts',
]
const favourites = RESOURCES.filter(({ resource }) => FAVOURITES.includes(resource))
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']

type Verb =
  | 'create'
  | 'update'
  | 'patch'
  | 'get'
  | 'list'
  | 'watch'
  | 'delete'
  | 'deletecollection'
  | 'subresource'
  | 'strange'
const WEIGHTS: Readonly<Record<Verb, number>> = {
  create: 40,
  update: 12,
  patch: 20,
  get: 3,
  list: 8,
  watch: 2,
  delete: 4,
  deletecollection: 0.5,
  subresource: 8,
  strange: 5,
}

/** An endless, reproducible sequence of requests for everything that is served. */
export class RequestGenerator {
  readonly #random: SeededRandom
  readonly #bodies: BodyGenerator

  constructor(random: SeededRandom) {
    this.#random = random
    this.#bodies = new BodyGenerator(random)
  }

  /** Remembers an answer, so that later requests start from what the server takes for right. */
  learn({ resource }: FuzzRequest, object: JsonObject): void {
    this.#bodies.learn(resource, object)
  }

  next(): FuzzRequest {
    const random = this.#random
    const resource = random.pick(random.chance(0.4) ? favourites : RESOURCES)
    const name = random.chance(0.9) ? random.pick(NAMES.slice(0, 5)) : random.pick(NAMES)
    const collection = `/${servedAt(resource)}${resource.namespaced ? `/namespaces/${random.pick(NAMESPACES)}` : ''}/${resource.resource}`
    const verb = random.weighted(WEIGHTS)
    const { method, path, body, watch } = this.#asked(verb, resource, collection, name)
    const query = this.#query(verb, body)
    return {
      method,
      path: path + query,
      headers: {
        ...(body === undefined ? {} : { 'content-type': body.type }),
        ...(random.chance(0.1) ? { accept: random.pick(ACCEPTS) } : {}),
        ...(random.chance(0.03) ? random.pick(IMPERSONATIONS) : {}),
      },
      ...(body === undefined ? {} : { body: body.body }),
      watch: watch || query.includes('watch'),
      http2: random.chance(0.3),
      resource,
    }
  }

  #asked(
    verb: Verb,
    resource: ServedResource,
    collection: string,
    name: string,
  ): { readonly method: string; readonly path: string; readonly body?: FuzzBody; readonly watch: boolean } {
    const random = this.#random
    const bodies = this.#bodies
    const object = `${collection}/${name}`
    switch (verb) {
      case 'create':
        return { method: 'POST', path: collection, body: bodies.object(resource, name), watch: false }
      case 'update':
        return { method: 'PUT', path: object, body: bodies.object(resource, name), watch: false }
      case 'patch':
        return { method: 'PATCH', path: object, body: bodies.patch(resource, name), watch: false }
      case 'get':
        return { method: 'GET', path: object, watch: false }
      case 'list':
        return {
          method: 'GET',
          path: random.chance(0.8) ? collection : `/${servedAt(resource)}/${resource.resource}`,
          watch: false,
        }
      case 'watch':
        return { method: 'GET', path: collection, watch: true }
      case 'delete':
        return {
          method: 'DELETE',
          path: object,
          ...(random.chance(0.5) ? { body: bodies.deleteOptions() } : {}),
          watch: false,
        }
      case 'deletecollection':
        return { method: resource.resource === 'namespaces' ? 'GET' : 'DELETE', path: collection, watch: false }
      case 'subresource':
        return { ...this.#subresource(resource, object, name), watch: false }
      case 'strange': {
        const path = random.pick([
          collection,
          object,
          `${object}/${random.pick(NAMES)}`,
          `/${random.pick(NAMES)}`,
          `/api/${random.pick(NAMES)}/${name}`,
          `/apis/${random.pick(NAMES)}/v1/${name}`,
        ])
        const method = random.pick(
          path === collection && resource.resource === 'namespaces' ? ['GET', 'PUT', 'OPTIONS'] : METHODS,
        )
        const bare = method === 'GET' || method === 'HEAD'
        return { method, path, ...(bare ? {} : { body: bodies.anything() }), watch: false }
      }
      default:
        return verb satisfies never
    }
  }

  #subresource(
    resource: ServedResource,
    object: string,
    name: string,
  ): { readonly method: string; readonly path: string; readonly body?: FuzzBody } {
    const random = this.#random
    const bodies = this.#bodies
    const subresource =
      resource.subresources.length > 0
        ? random.pick(resource.subresources).name
        : random.pick(['status', 'scale', 'constructor'])
    const path = `${object}/${subresource}`
    const method = subresource === 'token' ? 'POST' : random.pick(['GET', 'PUT', 'PATCH', 'POST'])
    if (method === 'GET') return { method, path }
    if (method === 'PATCH') return { method, path, body: bodies.patch(resource, name) }
    if (subresource === 'token') return { method, path, body: bodies.tokenRequest() }
    const scale = subresource === 'scale' || random.chance(0.2)
    return { method, path, body: scale ? bodies.scale(name) : bodies.object(resource, name) }
  }

  #query(verb: Verb, body: FuzzBody | undefined): string {
    const random = this.#random
    const parameters = Array.from(
      { length: random.chance(0.7) ? 0 : random.between(1, 3) },
      () => `${random.pick(PARAMETERS)}=${encodeLoosely(random.pick(VALUES))}`,
    )
    if (verb === 'watch') parameters.push('watch=1')
    if (body?.type === APPLY_TYPE && random.chance(0.95)) {
      parameters.push(`fieldManager=${random.pick(['one', 'two', 'three'])}`)
      if (random.chance(0.4)) parameters.push('force=true')
    }
    return parameters.length === 0 ? '' : `?${parameters.join('&')}`
  }
}

/** Escapes what no URL can carry, but leaves broken escapes broken. */
const encodeLoosely = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]|[#&"<>]/g, (character) => encodeURIComponent(character))
