import type { ClusterAccess } from './access/cluster-access.ts'
import { HttpKubeClient } from './client/http-kube-client.ts'
import type { SystemContext } from './time/system-context.ts'
import { KubeconfigError } from './kubeconfig/error.ts'
import { openCredentials } from './credentials/open.ts'
import { type Environment, proxyFromEnvironment } from './access/proxy-environment.ts'
import { proxyProblem } from './access/proxy-url.ts'
import type { Rate } from './time/rate-limit.ts'
import { systemContext } from './time/system-context.ts'
import { Transport } from './transport/transport.ts'

export interface OpenOptions {
  readonly access: ClusterAccess
  /** For HTTPS_PROXY and NO_PROXY, and for exec plugins. */
  readonly environment: Environment
  /** allot's. */
  readonly version: string
  /** Left out: 200 requests a second, 400 at once. */
  readonly rate?: Rate
  /** How many connections calls may use, watches aside; left out: 32. */
  readonly maxConnections?: number
  /** May an exec plugin prompt the user at the terminal? Left out: no. */
  readonly interactive?: boolean
  /** Called with every answer of the server. */
  readonly onAnswer?: () => void
  /** Left out: the real ones. */
  readonly context?: SystemContext
}

/** A client and its connections. */
export interface OpenKubeClient {
  readonly client: HttpKubeClient
  /** Cuts every connection; what is under way rejects. */
  readonly close: () => Promise<void>
}

/** Prepares a client; nothing is sent before its first call. Throws KubeconfigError when the environment's proxy is invalid. */
export function openKubeClient(options: OpenOptions): OpenKubeClient {
  const { context = systemContext } = options
  const transport = openTransport(options)
  return { client: new HttpKubeClient(transport, context.random), close: () => transport.close() }
}

/** The connections of a client. Throws KubeconfigError when the environment's proxy is invalid. */
export function openTransport(options: OpenOptions): Transport {
  const { access, environment, context = systemContext } = options
  const proxyUrl = access.proxyUrl ?? environmentProxy(access.server, environment)
  return new Transport({
    access,
    credentials: openCredentials(access, { environment, context, interactive: options.interactive ?? false }),
    context,
    version: options.version,
    onAnswer: options.onAnswer,
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  })
}

function environmentProxy(server: string, environment: Environment): string | undefined {
  const url = proxyFromEnvironment(server, environment)
  const problem = url === undefined ? undefined : proxyProblem(url)
  if (problem === undefined) return url
  throw new KubeconfigError('proxy-unusable', `the proxy that the environment names cannot be used: ${problem}`)
}
