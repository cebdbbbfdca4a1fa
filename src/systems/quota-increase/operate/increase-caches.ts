import {
  DEFINITION_LABEL,
  EFFECT_ANNOTATION,
  INCREASES_MANAGED_BY_LABEL,
  MODE_LABEL,
  OPERATION_ANNOTATIONS,
  PROBLEM_ANNOTATION,
} from '../api/increase-names.ts'
import { type QuotaIncrease, quotaIncrease } from '../api/quota-increase.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { isKeptBy } from '../decide/generated-quota.ts'
import type { NamespaceState } from '../decide/namespace-plan.ts'
import { shareStrings, type StringPool } from '../../../kube/cache/string-pool.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { keepQuota, RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { NAMESPACES } from '../../../operator/cluster/keep-namespace.ts'
import type { SystemCaches } from '../../../operator/shell/shared-caches.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'

/** Everything that quota increases depend on, as the API server had it a moment ago. */
export class IncreaseCaches {
  readonly namespaces: CacheView<NamespaceState>
  readonly increases: CacheView<QuotaIncrease>
  /** The ResourceQuotas that this provider keeps. */
  readonly quotas: CacheView<ResourceQuota>
  readonly #provider: string

  constructor(caches: SystemCaches, provider: string) {
    this.#provider = provider
    this.namespaces = caches.view<NamespaceState>({ kind: NAMESPACES, keep: keepState })
    this.increases = caches.view<QuotaIncrease>({ kind: quotaIncrease, keep: keepIncrease })
    this.quotas = caches.view<ResourceQuota>({
      kind: RESOURCE_QUOTAS,
      labelSelector: `${INCREASES_MANAGED_BY_LABEL}=${provider},${DEFINITION_LABEL}`,
      keep: keepQuota,
    })
  }

  /** The quotas of a namespace that the provider keeps; a label alone does not make another quota one of them. */
  quotasIn(namespace: string): readonly ResourceQuota[] {
    return this.quotas.list(namespace).filter((quota) => isKeptBy(quota, this.#provider))
  }

  /** The definitions of which there are quotas, with the namespaces of these. */
  inUse(): ReadonlyMap<string, ReadonlySet<string>> {
    const users = new Map<string, Set<string>>()
    for (const quota of this.quotas.list()) {
      if (!isKeptBy(quota, this.#provider)) continue
      const { name = '', namespace = '' } = quota.metadata
      const known = users.get(name)
      if (known === undefined) users.set(name, new Set([namespace]))
      else known.add(namespace)
    }
    return users
  }
}

const KEPT_ANNOTATIONS = [...OPERATION_ANNOTATIONS, PROBLEM_ANNOTATION]

/** The facts about a namespace that its plan needs. */
export function keepState(
  { metadata }: KubeObject,
  share: StringPool,
  old: NamespaceState | undefined,
): NamespaceState {
  const { name = '', uid = '', labels, annotations = {}, deletionTimestamp } = metadata
  const known = only(annotations, KEPT_ANNOTATIONS)
  const state = {
    name,
    uid,
    ...(labels === undefined ? {} : { labels: shareStrings(labels, share) }),
    ...(known === undefined ? {} : { annotations: shareStrings(known, share) }),
    deleting: deletionTimestamp !== undefined,
  }
  return keepEqual(state, old)
}

/** An increase with its spec, and of its metadata what names it and what the operator writes. */
export function keepIncrease(object: KubeObject, share: StringPool, old: QuotaIncrease | undefined): QuotaIncrease {
  const { apiVersion, kind, metadata } = object
  const { name = '', namespace = '', uid = '', resourceVersion = '', generation } = metadata
  const labels = only(metadata.labels ?? {}, [MODE_LABEL])
  const annotations = only(metadata.annotations ?? {}, [EFFECT_ANNOTATION, PROBLEM_ANNOTATION])
  const kept = {
    name,
    namespace: share(namespace),
    uid,
    resourceVersion,
    ...(generation === undefined ? {} : { generation }),
    ...(labels === undefined ? {} : { labels: shareStrings(labels, share) }),
    ...(annotations === undefined ? {} : { annotations: shareStrings(annotations, share) }),
  }
  const spec = shareStrings(object['spec'], share)
  const status = object['status']
  const rest = { ...(spec === undefined ? {} : { spec }), ...(status === undefined ? {} : { status }) }
  return keepEqual(quotaIncrease.read({ apiVersion, kind, metadata: kept, ...rest }), old)
}

function only(
  entries: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const kept = names.flatMap((name) => {
    const value = entries[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
