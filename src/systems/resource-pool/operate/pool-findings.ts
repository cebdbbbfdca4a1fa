import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { Quotas } from '../decide/quota/view.ts'
import type { QuotaWritten } from './quota-writer.ts'

interface Found {
  /** The version of the pool that it was found for. */
  readonly version: string | undefined
  /** Namespaces where a live read found no quota. */
  readonly gone: ReadonlySet<string>
  /** Quotas that were let go: what the caches have of them may be old. */
  readonly letGo: ReadonlySet<string>
  /** Quotas of the pool's name that do not carry its labels, so that the caches do not have them. */
  readonly quotas: Quotas
  /** How many times in a row such quotas were found. */
  readonly rounds: number
}

const NOTHING: Found = { version: undefined, gone: new Set(), letGo: new Set(), quotas: new Map(), rounds: 0 }

/**
 * After so many rounds in a row somebody brings another quota back whenever it is put out of the way: more would be a fight.
 */
const MOST_ROUNDS = 6

/** The findings of the writes of each pool's last reconcile, which the next one starts from. */
export class PoolFindings {
  readonly #found = new Map<string, Found>()

  /** Takes what was found before; it is forgotten with that. */
  take({ metadata: { name = '', resourceVersion } }: ResourcePool): Found {
    const found = this.#found.get(name) ?? NOTHING
    this.#found.delete(name)
    // Nothing says that a quota has not come back since an older version of the pool.
    return found.version === resourceVersion ? found : { ...found, gone: new Set() }
  }

  /**
   * Keeps what was found with a version of the pool. Gives whether the pool is to be reconciled at once, and the namespaces where
   * another quota comes back again and again.
   */
  keep(
    { metadata: { name = '', resourceVersion: version } }: ResourcePool,
    written: readonly QuotaWritten[],
    before: Pick<Found, 'rounds'>,
  ): { readonly isNews: boolean; readonly contested: readonly string[] } {
    const namespacesOf = (kind: QuotaWritten['kind']): readonly string[] =>
      written.flatMap((one) => (one.kind === kind && one.kind !== 'done' ? [one.namespace] : []))
    const quotas = new Map(
      written.flatMap((one): readonly (readonly [string, ResourceQuota])[] =>
        one.kind === 'found' ? [[one.namespace, one.quota]] : [],
      ),
    )
    const [gone, letGo] = [new Set(namespacesOf('gone')), new Set(namespacesOf('let-go'))]
    const isNews = gone.size + letGo.size + quotas.size > 0
    if (!isNews) return { isNews, contested: [] }
    const rounds = quotas.size === 0 ? 0 : before.rounds + 1
    const isContested = rounds >= MOST_ROUNDS
    this.#found.set(name, { version, gone, letGo, quotas, rounds: isContested ? 0 : rounds })
    return { isNews, contested: isContested ? [...quotas.keys()] : [] }
  }

  forget(name: string): void {
    this.#found.delete(name)
  }
}

/** The quotas of a pool as they are known with what was found. */
export function withFindings(quotas: Quotas, { letGo, quotas: found }: Pick<Found, 'letGo' | 'quotas'>): Quotas {
  if (letGo.size === 0 && found.size === 0) return quotas
  return new Map([...[...quotas].filter(([namespace]) => !letGo.has(namespace)), ...found])
}
