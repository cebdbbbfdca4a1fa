import type { ClusterAccess } from '../access/cluster-access.ts'
import type { KubeconfigField } from './field.ts'
import { readPem } from './pem.ts'
import { proxyProblem } from '../access/proxy-url.ts'
import { materialProblem } from '../access/tls-material.ts'

export type ClusterPart = Pick<
  ClusterAccess,
  'server' | 'authority' | 'insecureSkipTlsVerify' | 'tlsServerName' | 'proxyUrl'
>

/** Reads `clusters[].cluster`. Throws KubeconfigError. */
export function readCluster(cluster: KubeconfigField, readText: (file: string) => string): ClusterPart {
  const insecureSkipTlsVerify = cluster.at('insecure-skip-tls-verify').flag()
  const pem = readPem(cluster, 'certificate-authority', readText)
  if (pem !== undefined && insecureSkipTlsVerify)
    throw pem.field.invalid('it contradicts insecure-skip-tls-verify; remove one of them')
  const problem = pem === undefined ? undefined : materialProblem({ authority: pem.text })
  if (problem !== undefined) throw pem?.field.invalid(problem.what, 'certificate-unusable')
  const tlsServerName = cluster.at('tls-server-name').text()
  const proxyUrl = readProxy(cluster.at('proxy-url'))
  return {
    server: readServer(cluster.at('server'), pem !== undefined || insecureSkipTlsVerify),
    insecureSkipTlsVerify,
    ...(pem === undefined ? {} : { authority: pem.source }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  }
}

/** Without a scheme it is https when anything is said about TLS, else http, as client-go has it. */
function readServer(field: KubeconfigField, hasTls: boolean): string {
  const text = field.needed()
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `${hasTls ? 'https' : 'http'}://${text}`
  if (!URL.canParse(whole)) throw field.invalid('must be a URL')
  const { protocol, origin, pathname, search, hash, username, password } = new URL(whole)
  if (protocol !== 'https:' && protocol !== 'http:') throw field.invalid('it must begin with https:// or http://')
  if (search !== '' || hash !== '') throw field.invalid('it must end with the path')
  if (username !== '' || password !== '') throw field.invalid('user and password belong to users[].user')
  return origin + pathname.replace(/\/+$/, '')
}

function readProxy(field: KubeconfigField): string | undefined {
  const url = field.text()
  const problem = url === undefined ? undefined : proxyProblem(url)
  if (problem !== undefined) throw field.invalid(problem, 'proxy-unusable')
  return url
}
