import type { JsonObject, KubeObject, ObjectMeta } from '../../machinery/object.ts'

/** A resource of an API server, as its URLs name it. */
export interface ResourceKind {
  readonly group: string
  readonly version: string
  /** The plural, as in URLs. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** The name of an object. `namespace` is '' for a cluster-scoped resource. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

export interface CallOptions {
  /** Ends the call; every call has a deadline of its own besides. */
  readonly signal?: AbortSignal
}

export interface WriteCallOptions extends CallOptions {
  readonly dryRun?: boolean
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource?: string
  /** Is a new object sent over a connection of its own, by which a balancer may lead it to any API server? */
  readonly single?: boolean
  /** Told of each warning of the API server, also where it refuses. */
  readonly warned?: (text: string) => void
}

export interface ListCallOptions extends CallOptions {
  /** '' or left out: all namespaces. */
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** '0' lets the server answer from its cache; left out it is the newest state. */
  readonly resourceVersion?: string
  /** How many objects to ask for at a time, 0 for all at once; left out the client decides. */
  readonly pageSize?: number
}

/** All pages of a list, as one snapshot. */
export interface Listed<T extends KubeObject> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  /** There is more than the reader of the client may hold. `left`: how many objects are left out, where the API server says it. */
  readonly cut?: { readonly left: number | undefined }
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Nothing happened up to this version. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }

export interface WatchCallOptions extends CallOptions {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Events after this version. */
  readonly resourceVersion: string
  /** Events carry only the metadata of an object, where the server supports that. */
  readonly metadataOnly?: boolean
  /** Called when the server has accepted the watch, which may then be silent for minutes. */
  readonly opened?: () => void
}

/** The state that a deletion expects; another is a conflict. */
export interface DeleteCallOptions extends WriteCallOptions {
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
}

export type Patch =
  | { readonly type: 'merge'; readonly body: JsonObject }
  | { readonly type: 'strategic'; readonly body: JsonObject }
  | { readonly type: 'json'; readonly body: readonly JsonObject[] }
  /** Server-side apply: the fields that this manager wants. */
  | { readonly type: 'apply'; readonly body: JsonObject; readonly fieldManager: string; readonly force?: boolean }

/**
 * The calls of a controller to an API server. Each call rejects with `ApiError` (machinery/status.ts: `isNotFound`,
 * `isConflict`, …) if the server refuses. It rejects with `ServerUnreachable` if there is no answer. 429 and 503 with
 * Retry-After are tried again within the deadline, as client-go does. Nothing else is repeated.
 */
export interface KubeClient {
  get<T extends KubeObject>(kind: ResourceKind, name: ObjectName, options?: CallOptions): Promise<T>
  /** Only the metadata, for a caller that needs only the version of a large object. */
  getMetadata(kind: ResourceKind, name: ObjectName, options?: CallOptions): Promise<ObjectMeta>
  list<T extends KubeObject>(kind: ResourceKind, options?: ListCallOptions): Promise<Listed<T>>
  /**
   * The pages of one list as they come, all of the same snapshot and version. The caller need not hold all of them at once. An empty list
   * is one empty page. Rejects with 410 when the snapshot is gone before the last page.
   */
  listPages<T extends KubeObject>(kind: ResourceKind, options?: ListCallOptions): AsyncIterable<Listed<T>>
  create<T extends KubeObject>(kind: ResourceKind, object: T, options?: WriteCallOptions): Promise<T>
  /** Replaces; a `metadata.resourceVersion` in the object makes it compare-and-swap. */
  update<T extends KubeObject>(kind: ResourceKind, object: T, options?: WriteCallOptions): Promise<T>
  patch<T extends KubeObject>(
    kind: ResourceKind,
    name: ObjectName,
    patch: Patch,
    options?: WriteCallOptions,
  ): Promise<T>
  /** A patch whose answer is only the metadata: the writer of a large object knows the rest. */
  patchMetadata(kind: ResourceKind, name: ObjectName, patch: Patch, options?: WriteCallOptions): Promise<ObjectMeta>
  delete(kind: ResourceKind, name: ObjectName, options?: DeleteCallOptions): Promise<void>
  /**
   * One watch until the server ends it or the signal aborts: it is not an error when it just ends. An ERROR event (410 when
   * the version is too old) rejects with `ApiError`. Bookmarks are asked for.
   */
  watch<T extends KubeObject>(kind: ResourceKind, options: WatchCallOptions): AsyncIterable<WatchEvent<T>>
  /** Any other request with a JSON answer: `/version`, `/apis`, reviews. `body` is sent as JSON. */
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>
}
