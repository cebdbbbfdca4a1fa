import { isObject, type KubeObject } from '../../machinery/object.ts'
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
export function keepNamespace(
  { metadata, status }: KubeObject,
  share: StringPool,
  old: KeptNamespace | undefined,
): KeptNamespace {
  const { name = '', labels, deletionTimestamp } = metadata
  const phase = isObject(status) && typeof status['phase'] === 'string' ? share(status['phase']) : undefined
  const facts = {
    name,
    ...(labels === undefined ? {} : { labels: shareStrings(labels, share) }),
    ...(phase === undefined ? {} : { phase }),
    deleting: deletionTimestamp !== undefined,
  }
  return keepEqual(facts, old)
}
