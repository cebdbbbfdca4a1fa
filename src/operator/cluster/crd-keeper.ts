import type { KubeObject } from '../../machinery/object.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { WatchCache } from '../../kube/cache/watch-cache.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { whenAborted } from '../../runtime/tasks/when-aborted.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { ensureCrds } from './ensure-crds.ts'
import { CRD_KIND } from './kept-crd.ts'

export interface CrdKeeperOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  readonly crds: readonly KubeObject[]
}

/**
 * Installs CRDs again that are deleted while the operator runs. One that somebody changes stays as it is: a newer
 * version of allot may have upgraded it.
 */
export class CrdKeeper {
  readonly #options: CrdKeeperOptions
  readonly #queue: WorkQueue
  readonly #kept: ReadonlyMap<string, { readonly crd: KubeObject; readonly cache: WatchCache<string> }>

  constructor(options: CrdKeeperOptions) {
    const { client, clock, logger, crds } = options
    this.#options = options
    this.#queue = new WorkQueue({
      work: (name, signal) => this.#keep(name, signal),
      onError: (name, error) => logger.warn({ error, name }, 'a CRD could not be installed again'),
    })
    this.#kept = new Map(
      crds.map((crd) => {
        const { name = '' } = crd.metadata
        const cache = new WatchCache({
          client,
          clock,
          logger,
          kind: CRD_KIND,
          fieldSelector: `metadata.name=${name}`,
          keep: ({ metadata }) => metadata.name ?? '',
        })
        return [name, { crd, cache }]
      }),
    )
  }

  /** Keeps them until the signal aborts; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    const caches = [...this.#kept.values()].map(({ cache }) => cache)
    for (const [name, { cache }] of this.#kept) {
      cache.onChange((_, current) => {
        if (current === undefined) this.#queue.add(name)
      })
      cache.start()
      // It may have gone before anybody looked.
      cache.whenSynced().then(
        () => this.#queue.add(name),
        () => undefined,
      )
    }
    await whenAborted(signal)
    await Promise.all([this.#queue.stop(), ...caches.map((cache) => cache.stop())])
  }

  async #keep(name: string, signal: AbortSignal): Promise<void> {
    const { client, clock, logger } = this.#options
    const kept = this.#kept.get(name)
    if (kept === undefined || !kept.cache.synced || kept.cache.get('', name) !== undefined) return
    logger.warn({ name }, 'a CRD was deleted, and with it all objects of its kind; it is installed again')
    await ensureCrds([kept.crd], { client, mode: 'apply', clock, logger, signal })
  }
}
