import type { StoredRecord } from '../../../store/record/record.ts'
import type { WatchHandle } from '../../../store/revision/watchers.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { type Hook, hooksOf } from './hook.ts'

export const MUTATING = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
export const VALIDATING = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
const BUCKETS = [MUTATING, VALIDATING] as const

export type HookBucket = (typeof BUCKETS)[number]

/**
 * The webhooks of the stored configurations. Every write asks for them several times. They are listed again only after a
 * configuration has changed, which the store says before it acknowledges the change.
 */
export class ConfiguredHooks {
  readonly #store: Pick<StoredObjects, 'list' | 'watch'>
  readonly #watches: readonly WatchHandle[]
  readonly #listed = new Map<HookBucket, readonly Hook[]>()
  /** A change of one configuration leaves the webhooks of the others as they are. */
  readonly #read = new WeakMap<StoredRecord, readonly Hook[]>()

  constructor(store: Pick<StoredObjects, 'list' | 'watch'>) {
    this.#store = store
    this.#watches = BUCKETS.map((bucket) => store.watch({ bucket }, () => void this.#listed.delete(bucket)))
  }

  /** Are there webhooks at all? Most requests need to know no more. */
  get any(): boolean {
    return BUCKETS.some((bucket) => this.of(bucket).length > 0)
  }

  /** The webhooks of all configurations of a kind, by the names of the configurations. */
  of(bucket: HookBucket): readonly Hook[] {
    const known = this.#listed.get(bucket)
    if (known !== undefined) return known
    // Only states that are on the disk: there is no event when the store takes another one back.
    const hooks = this.#store.list(bucket).records.flatMap((record) => this.#hooksOf(record))
    this.#listed.set(bucket, hooks)
    return hooks
  }

  stop(): void {
    for (const watch of this.#watches) watch.close()
  }

  #hooksOf(record: StoredRecord): readonly Hook[] {
    const known = this.#read.get(record)
    if (known !== undefined) return known
    const hooks = hooksOf(record.object)
    this.#read.set(record, hooks)
    return hooks
  }
}
