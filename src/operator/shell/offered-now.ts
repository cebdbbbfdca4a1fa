import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import { readAllResources } from '../../kube/client/all-resources.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'

/** All resources that an API server offers now. A group whose server does not answer is left out. Rejects as `KubeClient` does. */
export async function offeredNow(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<OfferedResources> {
  const { resources } = await readAllResources(client, signal)
  return new OfferedResources(resources)
}
