import type { ClusterAccess, Credentials, ImpersonatedUser } from '../access/cluster-access.ts'
import { readExecPlugin } from './exec.ts'
import type { KubeconfigField } from './field.ts'
import { readPem } from './pem.ts'
import { materialProblem } from '../access/tls-material.ts'

export type UserPart = Pick<ClusterAccess, 'clientCertificate' | 'credentials' | 'impersonation'>

/**
 * Reads `users[].user`. Throws KubeconfigError.
 * @param cluster the cluster that the user is for: it may have a word for exec plugins
 */
export function readUser(
  user: KubeconfigField,
  cluster: KubeconfigField,
  readText: (file: string) => string,
): UserPart {
  const clientCertificate = readClientCertificate(user, readText)
  const impersonation = readImpersonation(user)
  return {
    credentials: readCredentials(user, cluster, readText),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(impersonation === undefined ? {} : { impersonation }),
  }
}

function readClientCertificate(
  user: KubeconfigField,
  readText: (file: string) => string,
): ClusterAccess['clientCertificate'] {
  const certificate = readPem(user, 'client-certificate', readText)
  const key = readPem(user, 'client-key', readText)
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined) throw user.at('client-certificate').invalid('client-key needs a certificate')
  if (key === undefined) throw user.at('client-key').invalid('client-certificate needs its key')
  const problem = materialProblem({ certificate: certificate.text, key: key.text })
  if (problem !== undefined)
    throw (problem.part === 'key' ? key : certificate).field.invalid(problem.what, 'certificate-unusable')
  return { certificate: certificate.source, key: key.source }
}

/** Where several ways are given, the one that client-go takes: a token file, a token, an exec plugin. */
function readCredentials(
  user: KubeconfigField,
  cluster: KubeconfigField,
  readText: (file: string) => string,
): Credentials {
  const provider = user.at('auth-provider')
  if (provider.value !== undefined) {
    const name = provider.at('name').text() ?? ''
    throw provider.invalid(`the auth-provider ${JSON.stringify(name)} is not supported`, 'auth-provider')
  }
  const token = user.at('token').text()
  const file = user.at('tokenFile').file()
  const username = user.at('username').text()
  const exec = user.at('exec')
  if (username !== undefined && (token !== undefined || file !== undefined))
    throw user.at('username').invalid('there are a token and a user name; only one of them can be used')
  if (file !== undefined) {
    readable(user.at('tokenFile'), file, readText)
    return { type: 'token-file', file }
  }
  if (token !== undefined) return { type: 'token', token }
  if (username !== undefined) return { type: 'basic', username, password: user.at('password').text() ?? '' }
  return exec.value === undefined ? { type: 'none' } : { type: 'exec', plugin: readExecPlugin(exec, cluster) }
}

function readable(field: KubeconfigField, file: string, readText: (file: string) => string): void {
  try {
    readText(file)
  } catch {
    throw field.invalid(`cannot read ${file}`, 'file-unreadable')
  }
}

function readImpersonation(user: KubeconfigField): ImpersonatedUser | undefined {
  const as = user.at('as').text()
  const uid = user.at('as-uid').text()
  const groups = user.at('as-groups').texts()
  const extra = user.at('as-user-extra')
  const keys = extra.keys()
  if (as === undefined) {
    const alone = uid !== undefined || groups.length > 0 || keys.length > 0
    if (alone) throw user.at('as').invalid('as-uid, as-groups and as-user-extra need it')
    return undefined
  }
  return {
    user: as,
    ...(uid === undefined ? {} : { uid }),
    groups,
    extra: Object.fromEntries(keys.map((key) => [key, extra.at(key).texts()])),
  }
}
