import { delimiter, join } from 'node:path'
import type { ClusterAccess } from '../access/cluster-access.ts'
import { inClusterAccess } from './in-cluster.ts'
import { readCluster } from './cluster.ts'
import { KubeconfigError } from './error.ts'
import type { KubeconfigField } from './field.ts'
import { type EntryList, KubeconfigFile } from './file.ts'
import { readUser } from './user.ts'
import type { Environment } from '../access/proxy-environment.ts'

export interface AccessOptions {
  /** `--kubeconfig`. */
  readonly kubeconfig?: string
  /** `--context`; left out: the current one. */
  readonly context?: string
  readonly environment: Environment
  /** The home folder. */
  readonly home: string
  /** The text of a file; throws what the file system throws. */
  readonly readText: (file: string) => string
}

/**
 * Finds the API server and the credentials. `--kubeconfig` comes before `$KUBECONFIG`. Then come the cluster that this process runs in,
 * unless a context is asked for, and `~/.kube/config`. Throws KubeconfigError.
 */
export function loadAccess(options: AccessOptions): ClusterAccess {
  const { kubeconfig = '', context = '', environment, home, readText } = options
  if (kubeconfig !== '')
    return accessOf(read([kubeconfig], readText, { optional: false, from: '--kubeconfig' }), context, readText)
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '')
  if (listed.length > 0) {
    const files = read([...new Set(listed)], readText, { optional: true, from: '$KUBECONFIG' })
    if (files.length === 0)
      throw new KubeconfigError('file-missing', `$KUBECONFIG names no file that exists: ${listed.join(', ')}`)
    return accessOf(files, context, readText)
  }
  const inCluster = context === '' ? inClusterAccess(environment, readText) : undefined
  if (inCluster !== undefined) return inCluster
  const own = join(home, '.kube', 'config')
  const files = read([own], readText, { optional: true, from: 'the home folder' })
  if (files.length === 0)
    throw new KubeconfigError(
      'no-cluster',
      `no API server is known: there is no ${own}, and this process does not run in a pod`,
    )
  return accessOf(files, context, readText)
}

type Files = readonly KubeconfigFile[]

function read(
  paths: readonly string[],
  readText: AccessOptions['readText'],
  options: { readonly optional: boolean; readonly from: string },
): Files {
  return paths.flatMap((path) => KubeconfigFile.read(path, readText, options) ?? [])
}

function accessOf(files: Files, wanted: string, readText: AccessOptions['readText']): ClusterAccess {
  const name = wanted || currentContext(files)
  const context = find(files, 'contexts', name)
  if (context === undefined) throw new KubeconfigError('no-context', noContext(files, name))
  const clusterName = context.at('cluster').needed()
  const cluster = find(files, 'clusters', clusterName)
  if (cluster === undefined) throw context.at('cluster').invalid(`there is no cluster ${JSON.stringify(clusterName)}`)
  return {
    source: `${paths(files)}, context ${JSON.stringify(name)}`,
    namespace: context.at('namespace').text() ?? 'default',
    ...readCluster(cluster, readText),
    ...userOf(files, context, cluster, readText),
  }
}

function userOf(
  files: Files,
  context: KubeconfigField,
  cluster: KubeconfigField,
  readText: AccessOptions['readText'],
): Pick<ClusterAccess, 'clientCertificate' | 'credentials' | 'impersonation'> {
  const name = context.at('user').text()
  if (name === undefined) return { credentials: { type: 'none' } }
  const user = find(files, 'users', name)
  if (user === undefined) throw context.at('user').invalid(`there is no user ${JSON.stringify(name)}`)
  return readUser(user, cluster, readText)
}

/** As client-go merges: the first file that has an entry of the name has it alone. */
function find(files: Files, list: EntryList, name: string): KubeconfigField | undefined {
  for (const file of files) {
    const found = file.entry(list, name)
    if (found !== undefined) return found
  }
  return undefined
}

function currentContext(files: Files): string {
  for (const file of files) {
    const name = file.root.at('current-context').text()
    if (name !== undefined) return name
  }
  throw new KubeconfigError('no-context', `${paths(files)}: no current-context is set${known(files)}`)
}

const noContext = (files: Files, name: string): string =>
  `${paths(files)}: there is no context ${JSON.stringify(name)}${known(files)}`

function known(files: Files): string {
  const names = [...new Set(files.flatMap((file) => file.names('contexts')))]
  return names.length === 0 ? ' and no context at all' : `; there are: ${names.join(', ')}`
}

const paths = (files: Files): string => files.map((file) => file.path).join(', ')
