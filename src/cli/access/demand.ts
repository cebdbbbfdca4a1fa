import type { Need } from '../../install/rbac/need.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { missingAccess } from '../../kube/client/missing-access.ts'
import { MigrateError } from '../../migrate/error.ts'

/** Rejects with MigrateError where the caller may not do what a command needs, before it does anything. The error names all that is missing. */
export async function demandAccess(
  client: Pick<KubeClient, 'request'>,
  needs: readonly Need[],
  systemNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  const missing = await missingAccess(client, needs, systemNamespace, signal)()
  if (missing !== undefined)
    throw new MigrateError(missing, 'grant it to the account of the kubeconfig; nothing was changed')
}
