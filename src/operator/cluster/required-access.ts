import type { Need } from '../../install/rbac/need.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { missingAccess } from '../../kube/client/missing-access.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'

/** Returns a step that rejects with a StartupError where the operator may not do what it needs. It can be repeated. */
export function requiredAccess(
  client: KubeClient,
  needs: readonly Need[],
  systemNamespace: string,
  signal: AbortSignal,
): () => Promise<void> {
  const ask = missingAccess(client, needs, systemNamespace, signal)
  return async () => {
    const missing = await ask()
    if (missing !== undefined) throw new StartupError('access-missing', missing)
  }
}
