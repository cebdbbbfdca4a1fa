import { LEDGER_MANAGED_BY, LEDGER_MANAGED_BY_LABEL } from '../../api/custom-quota/quota-names.ts'
import {
  type QuantityLedger,
  quantityLedger,
  type QuantityLedgerStatus,
} from '../../api/quantity-ledger/quantity-ledger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isConflict, isNotFound } from '../../machinery/status.ts'
import type { CallOptions } from '../../kube/client/kube-client.ts'
import { slimMetadata } from '../../kube/cache/trim-object.ts'
import type { CacheView } from '../shell/shared-watch.ts'
import type { OperatorContext } from '../system.ts'
import { type LedgerOwner, ledgerName, quotaKey } from './ledger-name.ts'

type Context = Pick<OperatorContext, 'client' | 'caches' | 'systemNamespace'>

/** The same for all systems, so that ledgers are kept once. Hardly any text of a ledger occurs in another, and each batch of requests brings a new one. */
const keepLedger = (object: KubeObject): QuantityLedger => quantityLedger.read(slimMetadata(object))

/** The ledgers as this replica has them: as watched, or newer as it wrote or read them itself. */
export class LedgerCache {
  readonly view: CacheView<QuantityLedger>
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
    this.view = context.caches.view<QuantityLedger>({ kind: quantityLedger, keep: keepLedger })
  }

  /** The ledger of a quota; undefined where there is none, or one of another quota. */
  get(quota: LedgerOwner): QuantityLedger | undefined {
    const { namespace, name } = ledgerName(quota, this.#context.systemNamespace)
    const ledger = this.view.get(namespace, name)
    return ledger !== undefined && isLedgerOf(ledger, quota) ? ledger : undefined
  }

  /** Has another quota, or an earlier one of the same name, the place of the ledger of a quota, as far as this replica has seen? */
  isTaken(quota: LedgerOwner): boolean {
    const { namespace, name } = ledgerName(quota, this.#context.systemNamespace)
    const ledger = this.view.get(namespace, name)
    return ledger !== undefined && !isLedgerOf(ledger, quota)
  }

  /** The ledger of a quota, read from the API server. Rejects as `KubeClient` does. */
  async readLive(quota: LedgerOwner, options: CallOptions): Promise<QuantityLedger | undefined> {
    const { client, systemNamespace } = this.#context
    try {
      const object = await client.get<QuantityLedger>(quantityLedger, ledgerName(quota, systemNamespace), options)
      const ledger = quantityLedger.read(object)
      this.view.observed(ledger)
      return isLedgerOf(ledger, quota) ? ledger : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * Writes the status of a ledger where it is still of this version; gives the ledger as it is then. Rejects with a conflict where
   * it is not.
   */
  async writeStatus(
    ledger: QuantityLedger,
    status: QuantityLedgerStatus,
    options: CallOptions,
  ): Promise<QuantityLedger> {
    const written = await this.#context.client.update(
      quantityLedger,
      { ...ledger, status },
      {
        ...options,
        subresource: 'status',
      },
    )
    const read = quantityLedger.read(written)
    this.view.observed(read)
    return read
  }

  /**
   * Has the API server stop to track which manager wrote which field of a ledger, and gives the ledger as it is then. An update of an
   * object without managed fields is not compared with its predecessor field by field, which takes about a third of the CPU of a write.
   * Rejects with a conflict where the ledger has changed meanwhile.
   */
  async untrack(ledger: QuantityLedger): Promise<QuantityLedger> {
    const { namespace = '', name = '', resourceVersion } = ledger.metadata
    const metadata = await this.#context.client.patchMetadata(
      quantityLedger,
      { namespace, name },
      { type: 'merge', body: { metadata: { managedFields: [{}], resourceVersion } } },
    )
    const read = { ...ledger, metadata }
    this.view.observed(read)
    return read
  }

  /** Makes the ledger of a quota. Rejects as `KubeClient` does, so also where there is one. */
  async create(quota: LedgerOwner, options: CallOptions): Promise<QuantityLedger> {
    const { client, systemNamespace } = this.#context
    const { apiVersion, kind, metadata } = quota
    const { name = '', namespace = '', uid = '' } = metadata
    const place = ledgerName(quota, systemNamespace)
    // Nobody outside its namespace can be owned by an object in one.
    const isOwned = namespace === '' || namespace === place.namespace
    const created = await client.create(
      quantityLedger,
      {
        apiVersion: quantityLedger.apiVersion,
        kind: quantityLedger.kind,
        metadata: {
          ...place,
          labels: { [LEDGER_MANAGED_BY_LABEL]: LEDGER_MANAGED_BY },
          ...(isOwned
            ? { ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }] }
            : {}),
        },
        spec: {
          targetRef: {
            apiGroup: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
            kind,
            name,
            ...(namespace === '' ? {} : { namespace }),
            uid,
          },
        },
      },
      options,
    )
    const read = quantityLedger.read(created)
    this.view.observed(read)
    return read
  }

  /** Deletes this very ledger, where it is still there. Rejects as `KubeClient` does. */
  async delete({ metadata }: QuantityLedger, options: CallOptions): Promise<void> {
    const { namespace = '', name = '', uid } = metadata
    try {
      const expected = uid === undefined ? {} : { uid }
      await this.#context.client.delete(quantityLedger, { namespace, name }, { ...options, ...expected })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}

/** The key of the quota that a ledger says it belongs to. */
export function targetKey({ spec: { targetRef } }: QuantityLedger): string {
  const { kind, namespace = '', name } = targetRef
  return quotaKey({ kind, metadata: { namespace, name } })
}

/** Is it the ledger of this very quota, and not of one of the same name that was deleted? */
function isLedgerOf(ledger: QuantityLedger, quota: LedgerOwner): boolean {
  const { uid } = ledger.spec.targetRef
  return targetKey(ledger) === quotaKey(quota) && (uid === undefined || uid === quota.metadata.uid)
}
