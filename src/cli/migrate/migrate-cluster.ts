import { homedir } from 'node:os'
import { loadAccess } from '../../kube/kubeconfig/kubeconfig.ts'
import { openKubeClient, type OpenKubeClient } from '../../kube/open-kube-client.ts'
import { systemSurroundings } from '../../kube/time/system-surroundings.ts'
import type { CliSurroundings } from '../cli-surroundings.ts'
import { packageVersion } from '../package-version.ts'

/** Which API server is asked, and as whom. */
export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Throws KubeconfigError. */
export function openCluster(
  { kubeconfig, context }: ClusterFlags,
  { environment }: Pick<CliSurroundings, 'environment'>,
): OpenKubeClient {
  const access = loadAccess({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    environment,
    home: homedir(),
    readText: systemSurroundings.readText,
  })
  return openKubeClient({ access, environment, version: packageVersion() })
}
