import { shortenedName } from '../../../machinery/shortened-name.ts'
import { textHash } from '../../../machinery/text-hash.ts'
import type { ObjectName } from '../../../kube/client/kube-client.ts'
import type { ObjectMeta } from '../../../machinery/object.ts'
import { MAX_SUBDOMAIN } from '../../../machinery/names.ts'

/** A quota that has a ledger. */
export interface LedgerOwner {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** Names a quota among those of all kinds. */
export const quotaKey = ({
  kind,
  metadata: { namespace = '', name = '' },
}: Pick<LedgerOwner, 'kind' | 'metadata'>): string => `${kind}/${namespace}/${name}`

/**
 * Returns the place of the ledger of a quota:
 * - of a CustomQuota: beside the quota, with its name. In the system namespace it gets another name, because a
 *   GlobalCustomQuota may have the same one.
 * - of a GlobalCustomQuota: in the system namespace, with its name.
 * - of any other quota: in the system namespace, where users of the quota's namespace cannot write it.
 */
export function ledgerName(
  { kind, metadata: { namespace = '', name = '' } }: Pick<LedgerOwner, 'kind' | 'metadata'>,
  systemNamespace: string,
): ObjectName {
  if (kind === 'GlobalCustomQuota') return { namespace: systemNamespace, name }
  if (kind === 'CustomQuota' && namespace !== systemNamespace) return { namespace, name }
  const isCustom = kind === 'CustomQuota'
  const place = isCustom ? name : `${namespace}/${name}`
  const suffixed = `${isCustom ? name : `${namespace}.${name}`}.${kind.toLowerCase()}-${textHash(`${kind}/${place}`)}`
  return {
    namespace: systemNamespace,
    name: suffixed.length <= MAX_SUBDOMAIN ? suffixed : shortenedName(suffixed, MAX_SUBDOMAIN),
  }
}
