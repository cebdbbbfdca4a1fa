import { isResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { SeenQuotas } from '../insight/top/top.ts'
import { customQuota } from '../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../systems/karmada-quota/api/karmada-quota.ts'
import type { VisibleObjects } from './visible-objects.ts'

/** The quotas of a namespace that the caller may read; of all namespaces where it is empty. Rejects as `KubeClient` does. */
export async function readQuotas(visible: VisibleObjects, namespace: string): Promise<SeenQuotas> {
  const [resourceQuotas, own, global, karmada] = await Promise.all([
    visible.list('', 'resourcequotas', { namespace }),
    visible.list(customQuota.group, customQuota.resource, { namespace }),
    // Those of many namespaces belong to none.
    namespace === '' ? visible.list(globalCustomQuota.group, globalCustomQuota.resource) : [],
    visible.list(karmadaQuota.group, karmadaQuota.resource, { namespace }),
  ])
  return {
    resourceQuotas: resourceQuotas.filter(isResourceQuota),
    customQuotas: [...own.map((one) => customQuota.read(one)), ...global.map((one) => globalCustomQuota.read(one))],
    karmadaQuotas: karmada.map((one) => karmadaQuota.read(one)),
  }
}
