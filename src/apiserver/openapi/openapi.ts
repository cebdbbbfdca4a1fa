import type { JsonObject } from '../../machinery/object.ts'
import { servedGroups } from '../discovery/group-order.ts'
import { servedAt, type ServedResource } from '../served-resource.ts'
import { type ApiPath, apiPaths } from './api-path.ts'
import { customDefinitions, type Definitions, rootInOpenApiV2 } from './custom-definition.ts'
import { reachableDefinitions } from './definition-set.ts'
import { describedDefinitions } from './described.ts'
import { openApiV2Encoder } from './encode-openapi-v2.ts'
import { swaggerFrame, swaggerPaths } from './openapi-v2.ts'
import { type GroupVersion, openApiV3, openApiV3Index } from './openapi-v3.ts'
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
  /** `/openapi/v3`; makes all v3 documents, since it names their hashes. */
  readonly v3Index: () => OpenApiText
  /** `/openapi/v3/<path>`, such as `apis/apps/v1`; undefined for what is not served. */
  readonly v3: (path: string) => OpenApiText | undefined
  /** `/openapi/v2` for clients that want JSON. */
  readonly v2Json: () => OpenApiText
  /** `/openapi/v2` as kubectl reads it. */
  readonly v2Protobuf: () => OpenApiBytes
}

export interface OpenApiInput {
  /** The `definitions` of `schemas/kubernetes-1.36-definitions.json`. */
  readonly definitions: Definitions
  /** The `messages` of `schemas/openapi-v2-protobuf.json`. */
  readonly messages: Readonly<Record<string, unknown>>
  /** The version that the documents carry, such as `v1.36.0`. */
  readonly version: string
  /** A content hash in characters that a URL may hold. */
  readonly hash: (content: string | Uint8Array) => string
}

/** What is known of one group version, made at need. It is kept for as long as its resources are the same objects. */
interface Part {
  readonly resources: readonly ServedResource[]
  readonly served: GroupVersion
  readonly paths: () => readonly ApiPath[]
  readonly v3: () => OpenApiText
  readonly v2Paths: () => Readonly<Record<string, JsonObject>>
  readonly v2Definitions: () => Definitions
  readonly v2PathBytes: () => Uint8Array
}

/**
 * Gives the function that makes the OpenAPI documents of a set of resources. Call it anew when the set changes: what
 * belongs to group versions whose resources are still the same objects is taken over from the last call.
 */
export function openApiFactory({
  definitions: plain,
  messages,
  version,
  hash,
}: OpenApiInput): (resources: readonly ServedResource[]) => OpenApi {
  const definitions = once(() => describedDefinitions(plain))
  const encoder = once(() => openApiV2Encoder(messages))
  const encoded = new WeakMap<JsonObject, Uint8Array>()
  let parts = new Map<string, Part>()

  const definitionBytes = (name: string, definition: JsonObject): Uint8Array => {
    const known = encoded.get(definition)
    if (known !== undefined) return known
    const bytes = encoder().definitions({ [name]: definition })
    encoded.set(definition, bytes)
    return bytes
  }
  const text = (document: JsonObject): OpenApiText => {
    const body = JSON.stringify(document)
    return { body, hash: hash(body) }
  }
  const makePart = (served: GroupVersion, resources: readonly ServedResource[]): Part => {
    const paths = once(() => resources.flatMap(apiPaths))
    const reached = once(() => {
      const custom = Object.assign(
        {},
        ...resources.filter((one) => one.typeName === undefined).map(customDefinitions),
      ) as Definitions
      const common = Object.keys(custom).length === 0 ? definitions() : { ...definitions(), ...custom }
      return { custom, all: reachableDefinitions([API_RESOURCE_LIST, ...namesIn(paths())], common) }
    })
    const v2Paths = once(() => swaggerPaths(served, paths()))
    return {
      resources,
      served,
      paths,
      v3: once(() => text(openApiV3(served, paths(), reached().all, version))),
      v2Paths,
      v2PathBytes: once(() => encoder().paths(v2Paths())),
      v2Definitions: once(() => {
        const { all, custom } = reached()
        return Object.fromEntries(
          Object.entries(all).map(([name, one]) => [name, name in custom ? rootInOpenApiV2(one) : one]),
        )
      }),
    }
  }

  return (resources) => {
    const next = new Map<string, Part>()
    for (const { versions } of servedGroups(resources))
      for (const { group, version, resources } of versions) {
        const path = servedAt({ group, version })
        const known = parts.get(path)
        next.set(
          path,
          known && sameMembers(known.resources, resources) ? known : makePart({ group, version }, resources),
        )
      }
    parts = next
    const list = [...next.values()]
    const v2Definitions = once(
      (): Definitions => Object.assign({}, ...list.map((part) => part.v2Definitions())) as Definitions,
    )
    return {
      v3Index: once(() =>
        text(openApiV3Index(Object.fromEntries([...next].map(([path, part]) => [path, part.v3().hash])))),
      ),
      v3: (path) => next.get(path)?.v3(),
      v2Json: once(() =>
        text({
          ...swaggerFrame(version),
          paths: Object.assign({}, ...list.map((part) => part.v2Paths())) as JsonObject,
          definitions: v2Definitions(),
        }),
      ),
      v2Protobuf: once(() => {
        const definitionPieces = Object.entries(v2Definitions()).map(([name, one]) => definitionBytes(name, one))
        const body = encoder().document(
          swaggerFrame(version),
          list.map((part) => part.v2PathBytes()),
          definitionPieces,
        )
        return { body, hash: hash(body) }
      }),
    }
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
