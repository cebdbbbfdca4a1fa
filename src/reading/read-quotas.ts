import { countsInNamespace } from '../insight/budgets/custom-quota.ts'
import { qualified } from '../machinery/status.ts'
import { isResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { SeenQuotas } from '../insight/top/top.ts'
import { customQuota } from '../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../systems/karmada-quota/api/karmada-quota.ts'
import type { VisibleObjects } from './visible-objects.ts'

const RESOURCE_QUOTAS = 'resourcequotas'

/**
 * The quotas that count in a namespace and that the caller may read; those of all namespaces where it is empty. A global quota itself says where it
 * counts. Rejects as `KubeClient` does.
 */
export async function readQuotas(visible: VisibleObjects, namespace: string): Promise<SeenQuotas> {
  const [resourceQuotas, own, global, karmada] = await Promise.all([
    visible.list('', RESOURCE_QUOTAS, { namespace }),
    visible.list(customQuota.group, customQuota.resource, { namespace }),
    visible.list(globalCustomQuota.group, globalCustomQuota.resource),
    visible.list(karmadaQuota.group, karmadaQuota.resource, { namespace }),
  ])
  const isTold = namespace === '' || isToldOfGlobal(visible.notSeen)
  const counting = (isTold ? global : [])
    .map((one) => globalCustomQuota.read(one))
    .filter((one) => namespace === '' || countsInNamespace(one, namespace, undefined))
  return {
    namespace,
    resourceQuotas: resourceQuotas.filter(isResourceQuota),
    customQuotas: [...own.map((one) => customQuota.read(one)), ...counting],
    karmadaQuotas: karmada.map((one) => karmadaQuota.read(one)),
  }
}

/**
 * Are global quotas told to count in the namespace, and what it uses of them? A caller who may list neither its ResourceQuotas nor its CustomQuotas
 * does not learn from them that there is such a namespace.
 */
export const isToldOfGlobal = (notSeen: readonly { readonly resource: string }[]): boolean =>
  [RESOURCE_QUOTAS, qualified(customQuota)].some((own) => !notSeen.some(({ resource }) => resource === own))
