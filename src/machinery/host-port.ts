/** A host and its port as URLs have them: an address of IPv6 stands in brackets. */
export const hostPort = (host: string, port: string | number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
