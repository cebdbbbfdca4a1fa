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
   * Makes what the documents hold of each definition, and lets other work run in between. It need not be called, but the
   * thread is held for long otherwise when large definitions are new.
   */
  readonly prepare: (form: keyof DefinitionPieces) => Promise<void>
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
  readonly definitions: OpenApiDefinitions
  /** The `messages` of `schemas/openapi-v2-protobuf.json`. */
  readonly messages: Readonly<Record<string, unknown>>
  /** The version that the documents carry, such as `v1.36.0`. */
  readonly version: string
  /** A content hash in characters that a URL may hold. */
  readonly hash: (content: string | Uint8Array) => string
}

/** The documents of one group version, made at need. It is kept for as long as its resources are the same objects. */
interface Part {
  readonly resources: readonly ServedResource[]
  readonly served: GroupVersion
  readonly paths: () => readonly ApiPath[]
  readonly v3: () => OpenApiText
  readonly pieces: () => ReadonlyMap<string, DefinitionPieces>
  readonly v2PathText: () => string
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
  const piecesOf = definitionPieces((name, one) => encoder().definitions({ [name]: one }))
  const customs = new WeakMap<ServedResource, OpenApiDefinitions>()
  let parts = new Map<string, Part>()

  const customOf = (resource: ServedResource): OpenApiDefinitions => {
    const known = customs.get(resource)
    if (known !== undefined) return known
    const made = definitionsOrOpen(resource)
    customs.set(resource, made)
    return made
  }
  const text = (body: string): OpenApiText => ({ body, hash: hash(body) })
  const makePart = (served: GroupVersion, resources: readonly ServedResource[]): Part => {
    const paths = once(() => resources.flatMap(apiPaths))
    const reached = once(() => {
      const custom = Object.assign(
        {},
        ...resources.filter((one) => one.typeName === undefined).map(customOf),
      ) as OpenApiDefinitions
      const common = Object.keys(custom).length === 0 ? definitions() : { ...definitions(), ...custom }
      return { custom, all: reachableDefinitions([API_RESOURCE_LIST, ...namesIn(paths())], common) }
    })
    const pieces = once(() => {
      const { all, custom } = reached()
      return new Map(Object.entries(all).map(([name, one]) => [name, piecesOf(name, one, Object.hasOwn(custom, name))]))
    })
    const v2Paths = once(() => swaggerPaths(served, paths()))
    return {
      resources,
      served,
      paths,
      pieces,
      v3: once(() => {
        const texts = Object.fromEntries([...pieces()].map(([name, one]) => [name, one.v3]))
        return text(openApiV3(served, paths(), texts, version))
      }),
      v2PathBytes: once(() => encoder().paths(v2Paths())),
      v2PathText: once(() => JSON.stringify(v2Paths()).slice(1, -1)),
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
    const all = once(() => new Map(list.flatMap((part) => [...part.pieces()])))
    const prepare = async (form: keyof DefinitionPieces): Promise<void> => {
      const slice = new TimeSlice()
      for (const part of list) {
        for (const resource of part.resources) {
          const turn = slice.next()
          if (turn !== undefined) await turn
          if (resource.typeName === undefined) customOf(resource)
        }
        for (const one of part.pieces().values()) {
          const turn = slice.next()
          if (turn !== undefined) await turn
          void one[form]
        }
      }
    }
    return {
      prepare,
      v3Index: once(() =>
        text(
          JSON.stringify(openApiV3Index(Object.fromEntries([...next].map(([path, part]) => [path, part.v3().hash])))),
        ),
      ),
      v3: (path) => next.get(path)?.v3(),
      v2Json: once(() => {
        const frame = JSON.stringify(swaggerFrame(version)).slice(0, -1)
        const paths = list.map((part) => part.v2PathText()).filter((one) => one !== '')
        const definitions = joinMembers([...all()].map(([name, one]) => [name, one.v2]))
        return text(`${frame},"paths":{${paths.join(',')}},"definitions":${definitions}}`)
      }),
      v2Protobuf: once(() => {
        const definitionBytes = [...all().values()].map((one) => one.v2Protobuf)
        const body = encoder().document(
          swaggerFrame(version),
          list.map((part) => part.v2PathBytes()),
          definitionBytes,
        )
        return { body, hash: hash(body) }
      }),
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
