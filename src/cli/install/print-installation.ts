import { stringify } from 'yaml'
import { installObjects } from '../../install/objects.ts'
import { defaultValues, readValues } from '../../install/read-values.ts'
import { offeredBy } from '../../install/server-offers.ts'
import { readGroups } from '../../kube/client/server-discovery-document.ts'
import { KubeconfigError } from '../../kube/kubeconfig/error.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import type { ClusterAccess } from '../../kube/access/cluster-access.ts'
import { readConfigurationFile } from '../../runtime/files/configuration-file.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import type { CliContext } from '../context.ts'
import type { InstallFlags } from './flags.ts'
import { packageVersion } from '../package-version.ts'

/** Prints the manifests of an installation. Throws StartupError, KubeconfigError, ServerUnreachable and ApiError; then nothing is printed. */
export async function printInstallation(flags: InstallFlags, context: CliContext): Promise<void> {
  const values =
    flags.values === undefined ? defaultValues() : readConfigurationFile(flags.values, '--values', readValues).values
  const offered = new Set([...(await offers(flags, context)), ...flags.apiVersions])
  const objects = installObjects({
    values,
    namespace: flags.namespace,
    version: packageVersion(),
    serves: (apiVersion) => offered.has(apiVersion),
  })
  // Aliases, which kinds that share schemas would have, would hide from readers what a field is.
  const texts = objects.map((object) =>
    stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' }),
  )
  context.out(`---\n${texts.join('---\n')}`)
}

async function offers(flags: InstallFlags, { environment, err, stop }: CliContext): Promise<readonly string[]> {
  if (flags.kubeVersion !== undefined) return offeredBy(flags.kubeVersion)
  const access = accessOf(flags, environment)
  if (access === undefined) {
    err('no API server is known, so these are the manifests for the newest one; --kube-version says which it is\n')
    return offeredBy()
  }
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const groups = readGroups(await client.request('GET', '/apis', undefined, { signal: stop }))
    return groups.flatMap(({ group, versions }) => versions.map((version) => `${group}/${version}`))
  } finally {
    await close()
  }
}

/** Undefined where there is no kubeconfig and none was asked for. */
function accessOf(flags: InstallFlags, environment: CliContext['environment']): ClusterAccess | undefined {
  try {
    return accessOfFlags(flags, environment)
  } catch (error) {
    if (error instanceof KubeconfigError && error.code === 'no-cluster') return undefined
    throw error
  }
}
