import { HttpServer, type HttpServerOptions } from './server.ts'
import { StartupError, systemCode } from '../process/startup-error.ts'

/** The flags that host and port were given with, as advice names them. */
export interface AddressFlags {
  readonly host: string
  readonly port: string
  /** Where any port will do, the one to take if it is free. */
  readonly usualPort?: number | undefined
}

/** Listens as the options say. Throws StartupError, with advice about the flags, when host or port cannot be had. */
export async function listen(
  options: HttpServerOptions,
  flags: AddressFlags = { host: '--host', port: '--port' },
): Promise<HttpServer> {
  const { host, port } = options
  if (port === 0 && flags.usualPort !== undefined)
    try {
      return await HttpServer.listen({ ...options, port: flags.usualPort })
    } catch {
      // Somebody else has it now, so another has to do.
    }
  try {
    return await HttpServer.listen(options)
  } catch (cause) {
    switch (systemCode(cause)) {
      case 'EADDRINUSE':
        throw new StartupError('port-taken', `port ${port} on ${host} is taken`, { cause, flag: flags.port })
      case 'EACCES':
        throw new StartupError('port-forbidden', `port ${port} on ${host} is not allowed to this user`, {
          cause,
          flag: flags.port,
        })
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
      case 'EINVAL':
        throw new StartupError('host-unusable', `${host} is not an address of this machine`, {
          cause,
          flag: flags.host,
        })
      default:
        throw cause
    }
  }
}
