import { homedir } from 'node:os'
import type { ClusterAccess } from '../../kube/access/cluster-access.ts'
import { loadAccess } from '../../kube/kubeconfig/kubeconfig.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { CliContext } from '../context.ts'
import type { AccessFlags } from './cluster-flags.ts'

/** The API server and the credentials that the flags lead to, as `loadAccess` finds them. Throws KubeconfigError. */
export function accessOfFlags(
  { kubeconfig = '', context = '' }: AccessFlags,
  environment: CliContext['environment'],
): ClusterAccess {
  return loadAccess({ kubeconfig, context, environment, home: homedir(), readText: systemContext.readText })
}
