import { isTooLarge } from '../kube/client/answer-reader.ts'
import type { KubeClient, ListCallOptions, ResourceKind } from '../kube/client/kube-client.ts'
import { apiVersionOf } from '../machinery/group-version.ts'
import type { KubeObject } from '../machinery/object.ts'
import { ApiError, isForbidden, isNotFound, qualified } from '../machinery/status.ts'
import type { ServedKinds } from './served-kinds.ts'

/** A resource that could not be read, with the reason. */
export interface NotSeen {
  readonly resource: string
  readonly reason: string
}

type ListOptions = ListCallOptions & {
  /** Left out: the preferred version. */
  readonly version?: string
}

/** Lists objects as its caller may, and remembers what the caller may not read. */
export class VisibleObjects {
  readonly notSeen: NotSeen[]
  readonly #client: Pick<KubeClient, 'list'>
  readonly #kinds: Pick<ServedKinds, 'of'>
  readonly #signal: AbortSignal

  /** `notSeen`: what else the caller may not read; it is added to. */
  constructor(
    client: Pick<KubeClient, 'list'>,
    kinds: Pick<ServedKinds, 'of'>,
    signal: AbortSignal,
    notSeen: NotSeen[] = [],
  ) {
    this.notSeen = notSeen
    this.#client = client
    this.#kinds = kinds
    this.#signal = signal
  }

  /** Lists a resource; none where the server does not serve it, or the caller may not list it, and the first ones of a list that is too large. Rejects as `KubeClient` does. */
  async list(
    group: string,
    resource: string,
    { version, ...options }: ListOptions = {},
  ): Promise<readonly KubeObject[]> {
    const kind = this.#kinds.of(group, resource, version)
    return kind === undefined ? [] : ((await this.listKind(kind, options)) ?? [])
  }

  /** Lists the objects of a kind; undefined where the caller may not. Rejects as `KubeClient` does. */
  async listKind(kind: ResourceKind, options: ListCallOptions = {}): Promise<readonly KubeObject[] | undefined> {
    try {
      const { items, cut } = await this.#client.list(kind, { signal: this.#signal, ...options })
      if (cut !== undefined) this.notSeen.push({ resource: qualified(kind), reason: cutReason(items.length, cut.left) })
      // Items of a list may come without what the list says once.
      const apiVersion = apiVersionOf(kind)
      return items.map((item) => ({ ...item, apiVersion, kind: kind.kind }))
    } catch (error) {
      if (isTooLarge(error)) {
        this.notSeen.push({ resource: qualified(kind), reason: cutReason(0, undefined) })
        return undefined
      }
      // Of a caller that the server does not know any more nothing is to be said.
      if (!(error instanceof ApiError) || error.status.code === 401) throw error
      if (isNotFound(error)) return []
      this.notSeen.push({
        resource: qualified(kind),
        reason: reasonOf(error, kind.namespaced && (options.namespace ?? '') === ''),
      })
      return undefined
    }
  }
}

/** The first objects of a list have been read, and others are left out. */
const cutReason = (read: number, left: number | undefined): string =>
  `they are too large to be read here: ${read === 0 ? 'none is shown' : `the first ${read} are shown, ${left ?? 'the others'} ${left === 1 ? 'is' : 'are'} left out`}`

/** `isWide`: were those of all namespaces asked for? Those of one may be allowed. */
function reasonOf(error: ApiError, isWide: boolean): string {
  const isRefused: boolean = isForbidden(error)
  return isRefused
    ? `you may not list them${isWide ? ' in all namespaces' : ''}`
    : `the API server does not give them: ${error.message}`
}
