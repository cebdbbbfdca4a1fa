import { serverVersion } from '../../kube/client/reported-version.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'

/** The oldest Kubernetes that allot runs against (docs/tasks/run-on-a-cluster.md). */
const OLDEST = { major: 1, minor: 20 } as const

/** Throws StartupError when the API server is too old, or does not say how old it is. */
export async function assertSupportedVersion(client: KubeClient, signal: AbortSignal): Promise<void> {
  const { major, minor, gitVersion } = await serverVersion(client, { signal })
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return
  throw new StartupError(
    'server-too-old',
    `the API server is Kubernetes ${gitVersion || 'of a version that it does not report'}`,
  )
}
