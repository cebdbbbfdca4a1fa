import { isOlder } from '../../../machinery/resource-version.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import type { CountedKind } from './kind.ts'

/** More objects are not listed each time before a request is refused: their watch is waited for. */
const MOST_LISTED = 500
/** How long a watch that has nothing to report is waited for. */
const QUIET_MS = 100
/** How long a watch is waited for that is behind the ledger. */
const BEHIND_MS = 1_000

/** The objects of a kind that a count contains. */
export interface CountedPlace {
  readonly client: Pick<KubeClient, 'listPages'>
  readonly resource: ServerResource
  readonly counted: Pick<CountedKind, 'sizes' | 'list' | 'versionOf' | 'whenReached'>
  /** Undefined: all. */
  readonly namespace: string | undefined
}

/**
 * Brings a count up to what is stored now. Few objects are listed. For many objects it waits a moment for the watch,
 * because a watch without events does not show its progress. It lists them too if this replica is behind the ledger, or
 * if nothing may be missing (`exactly`). `revision`: how far the ledger has come; undefined if it has not begun.
 * Rejects with the signal's reason, and as `KubeClient` does.
 */
export async function catchUpWith(
  { client, resource, counted, namespace }: CountedPlace,
  revision: string | undefined,
  exactly: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (counted.sizes.of(namespace) <= MOST_LISTED) return await within(counted.list(namespace), signal)
  let now = ''
  const place = namespace === undefined ? {} : { namespace }
  for await (const { resourceVersion } of client.listPages(resource, { ...place, pageSize: 1, signal })) {
    now = resourceVersion
    break
  }
  const isBehind = revision !== undefined && isOlder(counted.versionOf(namespace), revision)
  const waited = AbortSignal.any([signal, AbortSignal.timeout(isBehind ? BEHIND_MS : QUIET_MS)])
  await counted.whenReached(now, namespace, waited).catch(() => undefined)
  signal.throwIfAborted()
  const needed = exactly ? now : (revision ?? '')
  if (isOlder(counted.versionOf(namespace), needed)) await within(counted.list(namespace), signal)
}

/** Returns the outcome of the work, or rejects with the signal's reason if it is aborted first. */
export async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abandon = (): void => reject(signal.reason)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}
