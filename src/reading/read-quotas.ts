import { countsInNamespace } from '../insight/budgets/custom-quota.ts'
import { isResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { SeenQuotas } from '../insight/top/top.ts'
import { customQuota } from '../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../systems/karmada-quota/api/karmada-quota.ts'
import type { VisibleObjects } from './visible-objects.ts'

/**
 * The quotas that count in a namespace and that the caller may read; those of all namespaces where it is empty. A global quota itself says where it
 * counts. Rejects as `KubeClient` does.
 */
export async function readQuotas(visible: VisibleObjects, namespace: string): Promise<SeenQuotas> {
  const [resourceQuotas, own, global, karmada] = await Promise.all([
    visible.list('', 'resourcequotas', { namespace }),
    visible.list(customQuota.group, customQuota.resource, { namespace }),
    visible.list(globalCustomQuota.group, globalCustomQuota.resource),
    visible.list(karmadaQuota.group, karmadaQuota.resource, { namespace }),
  ])
  const counting = global
    .map((one) => globalCustomQuota.read(one))
    .filter((one) => namespace === '' || countsInNamespace(one, namespace, undefined))
  return {
    namespace: tellsPartOf(namespace, visible.notSeen),
    resourceQuotas: resourceQuotas.filter(isResourceQuota),
    customQuotas: [...own.map((one) => customQuota.read(one)), ...counting],
    karmadaQuotas: karmada.map((one) => karmadaQuota.read(one)),
  }
}

/** The namespace, to a caller who may list its ResourceQuotas: to others a global quota does not tell what a namespace uses. Otherwise empty. */
export const tellsPartOf = (namespace: string, notSeen: readonly { readonly resource: string }[]): string =>
  notSeen.some(({ resource }) => resource === 'resourcequotas') ? '' : namespace
