import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'yaml'
import { isObject } from '../../machinery/object.ts'
import { writePrivateFile } from './private-file.ts'
import { readRegularFile } from './regular-file.ts'
import { StartupError, systemCode } from '../process/startup-error.ts'

/** The credentials with which a client reaches the server as its administrator. */
export interface AdminAccess {
  readonly url: string
  /** PEM. */
  readonly caCertificate: string
  readonly token: string
}

/** The one name that cluster, user and context have in our files. */
const NAME = 'allot'

/** Writes the kubeconfig of the administrator, whole and for its owner only (mode 0600). Throws StartupError. */
export function writeAdminKubeconfig(file: string, { url, caCertificate, token }: AdminAccess): void {
  const text = `apiVersion: v1
kind: Config
current-context: ${NAME}
contexts:
- name: ${NAME}
  context:
    cluster: ${NAME}
    user: ${NAME}
clusters:
- name: ${NAME}
  cluster:
    server: ${url}
    certificate-authority-data: ${Buffer.from(caCertificate).toString('base64')}
users:
- name: ${NAME}
  user:
    token: ${token}
`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writePrivateFile(file, text)
  } catch (error) {
    throw unwritable(file, error)
  }
}

/** Throws StartupError when the file holds anything but an earlier kubeconfig of ours: it may be someone's only copy. */
export function assertReplaceable(file: string): void {
  let text: string | undefined
  try {
    text = readRegularFile(file)
  } catch (error) {
    throw unwritable(file, error)
  }
  if (text === undefined || text.trim() === '' || isOurs(text)) return
  throw new StartupError('kubeconfig-foreign', `${file} exists and was not written by allot`)
}

/**
 * Takes an old kubeconfig away that leads elsewhere than the server of `access`, so that a script that waits for the new one is not
 * misled by it. One that leads there stays usable meanwhile, and an empty file stays.
 */
export function removeStaleKubeconfig(file: string, access: AdminAccess): void {
  const text = readRegularFile(file)
  if (text !== undefined && isOurs(text) && !leadsTo(text, access)) rmSync(file, { force: true })
}

function leadsTo(text: string, { url, caCertificate, token }: AdminAccess): boolean {
  const authority = Buffer.from(caCertificate).toString('base64')
  const { clusters, users } = parse(text) as Readonly<Record<string, readonly unknown[]>>
  const wanted = [
    [clusters, 'cluster', { server: url, 'certificate-authority-data': authority }],
    [users, 'user', { token }],
  ] as const
  return wanted.every(([entries, field, values]) =>
    entries?.every((entry) => {
      const has = isObject(entry) ? entry[field] : undefined
      return isObject(has) && Object.entries(values).every(([name, value]) => has[name] === value)
    }),
  )
}

/** Names only, since kubectl rewrites the file when someone changes the context's namespace. */
function isOurs(text: string): boolean {
  try {
    const config: unknown = parse(text)
    if (!isObject(config)) return false
    return ['clusters', 'contexts', 'users'].every((list) => {
      const entries: unknown = config[list]
      return Array.isArray(entries) && entries.every((entry: unknown) => isObject(entry) && entry['name'] === NAME)
    })
  } catch {
    return false
  }
}

function unwritable(file: string, cause: unknown): StartupError {
  const why = systemCode(cause) || (cause instanceof Error ? cause.message : String(cause))
  return new StartupError('kubeconfig-unwritable', `the kubeconfig ${file} cannot be written (${why})`, { cause })
}
