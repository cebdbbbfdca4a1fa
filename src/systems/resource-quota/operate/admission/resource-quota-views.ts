import type { KindView, LedgerViews } from '../../../counted/protocol/kind-view.ts'
import { readLedger } from '../../../counted/protocol/ledger-status.ts'
import type { LedgerStore, LedgerViewSource } from '../../../counted/protocol/ledger-store.ts'
import { limitOf, partOf } from '../../decide/ledger-amounts.ts'
import { isOlder } from '../../../../machinery/resource-version.ts'
import { isNotFound } from '../../../../machinery/status.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import { catchUpWith } from '../../../counted/count/catch-up.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { CountView } from '../../../counted/replica/count-view.ts'
import type { ResourceQuotaTracker } from './resource-quota-tracker.ts'
import type { CountedResource } from './tracked-resource-quota.ts'

export interface ResourceQuotaViewsOptions {
  readonly client: Pick<KubeClient, 'get' | 'listPages'>
  readonly tracker: ResourceQuotaTracker
  readonly store: Pick<LedgerStore, 'read'>
  readonly key: string
}

/** How long the API server may take to say what there is. */
const PATIENCE_MS = 8_000
/** API servers do not number the specs of ResourceQuotas. */
const GENERATION = 1
/** Of limits that hold until no request can be stored any more that another replica allowed by earlier ones. */
export const LATER_GENERATION = GENERATION + 1
const EVERYTHING = { has: () => true }

/** The counts of this replica for one ResourceQuota, which catch up with the API server on request. */
export class ResourceQuotaViews implements LedgerViewSource {
  readonly #options: ResourceQuotaViewsOptions

  constructor(options: ResourceQuotaViewsOptions) {
    this.#options = options
  }

  current(): LedgerViews | undefined {
    const { tracker, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked?.isCounted !== true) return undefined
    const kinds = new Map((tracked.targets ?? []).flatMap((target) => [...viewsOf(target)]))
    const { rule, widenedBy } = tracked
    const has = (part: string): boolean => rule.names.includes(limitOf(part))
    return { generation: GENERATION, selection: '', kinds, unnumbered: { has, widenedBy } }
  }

  async catchUp(exactly: boolean): Promise<void> {
    const { client, tracker, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined) return
    const { namespace } = tracked.ref
    const signal = AbortSignal.timeout(PATIENCE_MS)
    await Promise.all([
      this.#readQuota(signal),
      ...(tracked.targets ?? []).map((target) => {
        const { resource, counted } = target
        const place = { client, resource, counted, namespace }
        return catchUpWith(place, this.#revisionOf(target), exactly, signal).catch((error: unknown) => {
          // The quota may not count it any more.
          if (tracker.get(key)?.target(target.evaluator)?.counted === counted) throw error
        })
      }),
    ])
  }

  /** Its limits may have been raised a moment ago. */
  async #readQuota(signal: AbortSignal): Promise<void> {
    const { client, tracker, key } = this.#options
    const tracked = tracker.get(key)
    if (tracked === undefined) return
    try {
      tracker.observed(await client.get(RESOURCE_QUOTAS, tracked.ref, { signal }))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** How far the ledger has come with the objects of a resource. */
  #revisionOf({ evaluator, counts }: CountedResource): string | undefined {
    const read = readLedger(this.#options.store.read()?.status)
    if (read.type !== 'ledger') return undefined
    const revisions = [...counts.keys()].flatMap(
      (limit) => read.state.parts.get(partOf(evaluator, limit))?.revision ?? [],
    )
    return revisions.reduce((newest: string | undefined, one) => {
      return newest === undefined || isOlder(newest, one) ? one : newest
    }, undefined)
  }
}

function* viewsOf({ evaluator, counted, counts }: CountedResource): Generator<readonly [string, KindView]> {
  for (const [limit, count] of counts) yield [partOf(evaluator, limit), new CountView({ counted, count }, EVERYTHING)]
}
