import type { ClusterAccess } from '../access/cluster-access.ts'
import { type CredentialSource, fixedCredential, headerText } from './source.ts'
import { ExecCredential } from './exec.ts'
import type { SystemContext } from '../time/system-context.ts'
import type { Environment } from '../access/proxy-environment.ts'
import { runPlugin } from './run-plugin.ts'
import { TokenFile } from './token-file.ts'

export interface CredentialOptions {
  readonly environment: Environment
  readonly context: SystemContext
  /** May a plugin prompt the user at the terminal? */
  readonly interactive: boolean
}

/** Where the requests of an access get their credential from. */
export function openCredentials(access: ClusterAccess, options: CredentialOptions): CredentialSource {
  const { credentials } = access
  if (credentials.type === 'none') return fixedCredential({})
  if (credentials.type === 'token') return fixedCredential({ authorization: `Bearer ${headerText(credentials.token)}` })
  if (credentials.type === 'token-file') return new TokenFile(credentials.file, options.context)
  if (credentials.type === 'exec') return new ExecCredential(credentials.plugin, access, { ...options, run: runPlugin })
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`, 'utf8').toString('base64')
  return fixedCredential({ authorization: `Basic ${pair}` })
}
