import { type OfferedResource, OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { readGroups, readResources } from '../../kube/client/server-discovery-document.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { ApiError } from '../../machinery/status.ts'
import { inParallel } from '../../runtime/tasks/in-parallel.ts'

/** Group versions that are asked for at a time. */
const AT_A_TIME = 8

/** All resources that an API server offers now. A group whose server does not answer is left out. Rejects as `KubeClient` does. */
export async function offeredNow(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<OfferedResources> {
  const groups = readGroups(await client.request('GET', '/apis', undefined, { signal }))
  const versions = [
    { group: '', version: 'v1' },
    ...groups.flatMap(({ group, versions: all }) => all.map((version) => ({ group, version }))),
  ]
  const offered: (readonly OfferedResource[])[] = versions.map(() => [])
  await inParallel([...versions.entries()], AT_A_TIME, async ([index, { group, version }]) => {
    const path = `${group === '' ? '/api' : '/apis'}/${apiVersionOf({ group, version })}`
    try {
      offered[index] = readResources(group, version, await client.request('GET', path, undefined, { signal }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  })
  return new OfferedResources(offered.flat())
}
