import { shortenedName } from '../../machinery/shortened-name.ts'
import { textHash } from '../../machinery/text-hash.ts'
import type { ObjectName } from '../../kube/client/kube-client.ts'
import type { AnyQuota } from './tracking/tracked-quota.ts'

const MAX_NAME = 253

/**
 * Where the ledger of a quota stands: beside a CustomQuota, with its name; for a GlobalCustomQuota in the system namespace, with
 * its name. A CustomQuota in the system namespace gets another name, since a GlobalCustomQuota may have its own.
 */
export function ledgerName(
  { kind, metadata: { namespace = '', name = '' } }: Pick<AnyQuota, 'kind' | 'metadata'>,
  systemNamespace: string,
): ObjectName {
  if (kind === 'GlobalCustomQuota') return { namespace: systemNamespace, name }
  if (namespace !== systemNamespace) return { namespace, name }
  const suffixed = `${name}.customquota-${textHash(`${kind}/${name}`)}`
  return { namespace, name: suffixed.length <= MAX_NAME ? suffixed : shortenedName(suffixed, MAX_NAME) }
}
