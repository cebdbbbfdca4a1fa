import type { Namespace } from '../../builtin/core-v1.ts'
import { statusOf } from '../../machinery/read.ts'
import { keepEqual } from './keep-equal.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { shareStrings, type StringPool } from '../../kube/cache/string-pool.ts'
import type { Labels } from '../../machinery/selector/requirement.ts'

export const NAMESPACES: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

/** The fields of namespaces that systems use. */
export interface KeptNamespace {
  readonly name: string
  readonly labels?: Labels
  /** `status.phase`; absent means Active. */
  readonly phase?: string
  /** Has it a deletionTimestamp? */
  readonly deleting: boolean
}

/** Returns the part of a namespace that the caches keep. All systems ask for the same, so that it is kept once. */
export function keepNamespace(namespace: Namespace, share: StringPool, old: KeptNamespace | undefined): KeptNamespace {
  const { name = '', labels, deletionTimestamp } = namespace.metadata
  const { phase } = statusOf(namespace)
  const facts = {
    name,
    ...(labels === undefined ? {} : { labels: shareStrings(labels, share) }),
    ...(typeof phase === 'string' ? { phase: share(phase) } : {}),
    deleting: deletionTimestamp !== undefined,
  }
  return keepEqual(facts, old)
}
