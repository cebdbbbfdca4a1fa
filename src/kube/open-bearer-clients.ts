import type { ClusterAccess } from './access/cluster-access.ts'
import type { AnswerReader } from './client/answer-reader.ts'
import { HttpKubeClient } from './client/http-kube-client.ts'
import { type OpenOptions, openTransport } from './open-kube-client.ts'
import { NEVER_ABORTED } from './time/clock.ts'
import type { RateLimit } from './time/rate-limit.ts'
import { systemContext } from './time/system-context.ts'
import type { Transport, TransportRequest } from './transport/transport.ts'

/** Clients of one API server for callers who bring their own tokens, over the same connections. */
export interface BearerClients {
  /**
   * A client that acts as the bearer of the token, and as nobody else. `limit`: how fast its requests may begin. `reader`: what bounds the memory
   * of that which it reads.
   */
  readonly clientOf: (token: string, limit: RateLimit, reader?: AnswerReader) => HttpKubeClient
  /** Cuts every connection; what is under way rejects. */
  readonly close: () => Promise<void>
}

/** Prepares clients for bearers of tokens. Of `access` only the way to the server is used, never its credentials. Throws KubeconfigError. */
export function openBearerClients(options: OpenOptions): BearerClients {
  const { access, context = systemContext } = options
  const transport = openTransport({ ...options, access: withoutCaller(access) })
  return {
    clientOf: (token, limit, reader) => {
      const asBearer = async (request: TransportRequest): Promise<TransportRequest> => {
        await limit.take(request.signal ?? NEVER_ABORTED)
        return { ...request, authorization: `Bearer ${token}` }
      }
      const ofBearer: Pick<Transport, 'send' | 'stream' | 'server'> = {
        server: access.server,
        send: async (request) => await transport.send(await asBearer(request)),
        stream: async (request, lifeMs) => await transport.stream(await asBearer(request), lifeMs),
      }
      return new HttpKubeClient(ofBearer, context.random, reader)
    },
    close: () => transport.close(),
  }
}

/** Fields are named one by one, so that a credential that comes to be another field is left out, too. */
function withoutCaller(access: ClusterAccess): ClusterAccess {
  const { source, server, namespace, authority, insecureSkipTlsVerify, tlsServerName, proxyUrl } = access
  return {
    source,
    server,
    namespace,
    insecureSkipTlsVerify,
    ...(authority === undefined ? {} : { authority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    credentials: { type: 'none' },
  }
}
