import { apiVersionOf } from '../../machinery/group-version.ts'
import { ApiError } from '../../machinery/status.ts'
import { inParallel } from '../../runtime/tasks/in-parallel.ts'
import type { KubeClient } from './kube-client.ts'
import { readGroups, readResources } from './server-discovery-document.ts'
import type { ServerResource } from './server-resources.ts'

/** A version of a group that the API server names and does not list. */
export interface UnlistedVersion {
  readonly group: string
  readonly version: string
  readonly error: ApiError
}

export interface AllResources {
  /** The preferred version of a group comes first. */
  readonly resources: readonly ServerResource[]
  readonly unlisted: readonly UnlistedVersion[]
}

/** Group versions that are asked for at a time. */
const AT_A_TIME = 8

/** Reads all resources of all groups that an API server offers now. Another server that is away may stand behind a group. Rejects as `KubeClient` does. */
export async function readAllResources(
  client: Pick<KubeClient, 'request'>,
  signal: AbortSignal,
): Promise<AllResources> {
  const groups = readGroups(await client.request('GET', '/apis', undefined, { signal }))
  const versions = [{ group: '', versions: ['v1'] }, ...groups].flatMap(({ group, versions: all }) =>
    all.map((version) => ({ group, version })),
  )
  const found: (readonly ServerResource[])[] = versions.map(() => [])
  const unlisted: UnlistedVersion[] = []
  await inParallel([...versions.entries()], AT_A_TIME, async ([index, { group, version }]) => {
    const path = `${group === '' ? '/api' : '/apis'}/${apiVersionOf({ group, version })}`
    try {
      found[index] = readResources(group, version, await client.request('GET', path, undefined, { signal }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      unlisted.push({ group, version, error })
    }
  })
  return { resources: found.flat(), unlisted }
}
