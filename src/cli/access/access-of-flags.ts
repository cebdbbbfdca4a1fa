import { homedir } from 'node:os'
import type { ClusterAccess } from '../../kube/access/cluster-access.ts'
import { loadAccess } from '../../kube/kubeconfig/kubeconfig.ts'
import { systemSurroundings } from '../../kube/time/system-surroundings.ts'
import type { CliSurroundings } from '../cli-surroundings.ts'
import type { AccessFlags } from './cluster-flags.ts'

/** The API server and the credentials that the flags lead to, as `loadAccess` finds them. Throws KubeconfigError. */
export function accessOfFlags(
  { kubeconfig = '', context = '' }: AccessFlags,
  environment: CliSurroundings['environment'],
): ClusterAccess {
  return loadAccess({ kubeconfig, context, environment, home: homedir(), readText: systemSurroundings.readText })
}
