import type { GroupVersion } from '../../machinery/group-version.ts'
import { TimeSlice } from '../../runtime/tasks/time-slice.ts'
import { servedGroups } from '../resource/group-order.ts'
import { servedAt, type ServedResource } from '../resource/served-resource.ts'
import { type ApiPath, apiPaths } from './api-path.ts'
import { customDefinitions, type OpenApiDefinitions } from './custom-definition.ts'
import { type DefinitionPieces, definitionPieces } from './definition-pieces.ts'
import { reachableDefinitions } from './definition-set.ts'
import { describedDefinitions } from './described.ts'
import { openApiV2Encoder } from './encode-v2.ts'
import { swaggerFrame, swaggerPaths } from './v2.ts'
import { joinMembers, openApiV3, openApiV3Index } from './v3.ts'
import { API_RESOURCE_LIST } from './type-name.ts'

/** A finished document. `hash` is what the index names in `?hash=…`, and serves as ETag when put in quotes. */
export interface OpenApiText {
  readonly body: string
  readonly hash: string
}

export interface OpenApiBytes {
  readonly body: Uint8Array
  readonly hash: string
}

/** Every OpenAPI document of one set of served resources; each is made when first asked for, and kept. */
export interface OpenApi {
  /**
   * Makes the parts of the documents for each definition, and lets other work run in between. It need not be called. Without
   * it, new large definitions block the thread for long.
   */
  prepare(form: keyof DefinitionPieces): Promise<void>
  /** `/openapi/v3`; makes all v3 documents, since it names their hashes. */
  v3Index(): OpenApiText
  /** `/openapi/v3/<path>`, such as `apis/apps/v1`; undefined for what is not served. */
  v3(path: string): OpenApiText | undefined
  /** `/openapi/v2` for clients that want JSON. */
  v2Json(): OpenApiText
  /** `/openapi/v2` as kubectl reads it. */
  v2Protobuf(): OpenApiBytes
}

export interface OpenApiInput {
  /** The `definitions` of `schemas/kubernetes-1.36-definitions.json`. */
  readonly definitions: OpenApiDefinitions
  /** The `messages` of `schemas/openapi-v2-protobuf.json`. */
  readonly messages: Readonly<Record<string, unknown>>
  /** The version that the documents carry, such as `v1.36.0`. */
  readonly version: string
  /** A content hash in characters that a URL may hold. */
  readonly hash: (content: string | Uint8Array) => string
}

/**
 * Returns the function that makes the OpenAPI documents of a set of resources. Call it anew when the set changes. It keeps
 * the parts of group versions whose resources are still the same objects.
 */
export function openApiFactory(input: OpenApiInput): (resources: readonly ServedResource[]) => OpenApi {
  const common = new Common(input)
  let parts: ReadonlyMap<string, Part> = new Map()
  return (resources) => {
    const next = new Map<string, Part>()
    for (const { versions } of servedGroups(resources))
      for (const { group, version, resources } of versions) {
        const path = servedAt({ group, version })
        const known = parts.get(path)
        const isKept = known !== undefined && sameMembers(known.resources, resources)
        next.set(path, isKept ? known : new Part({ group, version }, resources, common))
      }
    parts = next
    return new Documents(next, common)
  }
}

/** The parts that are common to the documents of all sets of resources. */
class Common {
  readonly version: string
  readonly hash: OpenApiInput['hash']
  readonly definitions: () => OpenApiDefinitions
  readonly encoder: () => ReturnType<typeof openApiV2Encoder>
  readonly piecesOf = definitionPieces((name, one) => this.encoder().definitions({ [name]: one }))
  readonly #customs = new WeakMap<ServedResource, OpenApiDefinitions>()

  constructor({ definitions, messages, version, hash }: OpenApiInput) {
    this.version = version
    this.hash = hash
    this.definitions = once(() => describedDefinitions(definitions))
    this.encoder = once(() => openApiV2Encoder(messages))
  }

  /** The definitions of a custom resource. */
  customOf(resource: ServedResource): OpenApiDefinitions {
    const known = this.#customs.get(resource)
    if (known !== undefined) return known
    const made = definitionsOrOpen(resource)
    this.#customs.set(resource, made)
    return made
  }

  text(body: string): OpenApiText {
    return { body, hash: this.hash(body) }
  }
}

/** The documents of one group version. Each is made when first used. */
class Part {
  readonly served: GroupVersion
  readonly resources: readonly ServedResource[]
  readonly #common: Common

  constructor(served: GroupVersion, resources: readonly ServedResource[], common: Common) {
    this.served = served
    this.resources = resources
    this.#common = common
  }

  readonly paths = once(() => this.resources.flatMap(apiPaths))

  readonly pieces = once((): ReadonlyMap<string, DefinitionPieces> => {
    const { definitions, piecesOf } = this.#common
    const custom: OpenApiDefinitions = Object.assign(
      {},
      ...this.resources.filter((one) => one.typeName === undefined).map((one) => this.#common.customOf(one)),
    )
    const all = Object.keys(custom).length === 0 ? definitions() : { ...definitions(), ...custom }
    const reached = reachableDefinitions([API_RESOURCE_LIST, ...namesIn(this.paths())], all)
    return new Map(
      Object.entries(reached).map(([name, one]) => [name, piecesOf(name, one, Object.hasOwn(custom, name))]),
    )
  })

  readonly v3 = once(() => {
    const texts = Object.fromEntries([...this.pieces()].map(([name, one]) => [name, one.v3]))
    return this.#common.text(openApiV3(this.served, this.paths(), texts, this.#common.version))
  })

  readonly #v2Paths = once(() => swaggerPaths(this.served, this.paths()))
  readonly v2PathBytes = once(() => this.#common.encoder().paths(this.#v2Paths()))
  readonly v2PathText = once(() => JSON.stringify(this.#v2Paths()).slice(1, -1))
}

/** All documents of a set of resources. */
class Documents implements OpenApi {
  readonly #byPath: ReadonlyMap<string, Part>
  readonly #common: Common

  constructor(byPath: ReadonlyMap<string, Part>, common: Common) {
    this.#byPath = byPath
    this.#common = common
  }

  readonly v3Index = once(() => {
    const hashes = [...this.#byPath].map(([path, part]) => [path, part.v3().hash] as const)
    return this.#common.text(JSON.stringify(openApiV3Index(Object.fromEntries(hashes))))
  })

  readonly v2Json = once(() => {
    const frame = JSON.stringify(swaggerFrame(this.#common.version)).slice(0, -1)
    const paths = [...this.#byPath.values()].map((part) => part.v2PathText()).filter((one) => one !== '')
    const definitions = joinMembers([...this.#pieces()].map(([name, one]) => [name, one.v2]))
    return this.#common.text(`${frame},"paths":{${paths.join(',')}},"definitions":${definitions}}`)
  })

  readonly v2Protobuf = once(() => {
    const body = this.#common.encoder().document(
      swaggerFrame(this.#common.version),
      [...this.#byPath.values()].map((part) => part.v2PathBytes()),
      [...this.#pieces().values()].map((one) => one.v2Protobuf),
    )
    return { body, hash: this.#common.hash(body) }
  })

  readonly #pieces = once(() => new Map([...this.#byPath.values()].flatMap((part) => [...part.pieces()])))

  v3(path: string): OpenApiText | undefined {
    return this.#byPath.get(path)?.v3()
  }

  async prepare(form: keyof DefinitionPieces): Promise<void> {
    const slice = new TimeSlice()
    for (const part of this.#byPath.values()) {
      for (const resource of part.resources) {
        const turn = slice.next()
        if (turn !== undefined) await turn
        if (resource.typeName === undefined) this.#common.customOf(resource)
      }
      for (const one of part.pieces().values()) {
        const turn = slice.next()
        if (turn !== undefined) await turn
        void one[form]
      }
    }
  }
}

/** One schema that is nested too deeply must not break the documents that all share: its kind is then any object. */
function definitionsOrOpen(resource: ServedResource): OpenApiDefinitions {
  try {
    return customDefinitions(resource)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const { schema: _, ...open } = resource
    return customDefinitions(open)
  }
}

function namesIn(paths: readonly ApiPath[]): ReadonlySet<string> {
  const operations = paths.flatMap((path) => path.operations)
  return new Set(operations.flatMap(({ result, body }) => [result, body?.type]).filter((name) => name !== undefined))
}

const sameMembers = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index])

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
