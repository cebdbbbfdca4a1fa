import { openKubeClient, type OpenKubeClient } from '../../kube/open-kube-client.ts'
import type { CliContext } from '../context.ts'
import { packageVersion } from '../package-version.ts'
import { accessOfFlags } from './of-flags.ts'
import type { AccessFlags } from './cluster-flags.ts'

/** A client of the API server that the flags lead to. Throws KubeconfigError. */
export const openCluster = (flags: AccessFlags, { environment }: Pick<CliContext, 'environment'>): OpenKubeClient =>
  openKubeClient({ access: accessOfFlags(flags, environment), environment, version: packageVersion() })
