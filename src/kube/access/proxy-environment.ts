import { BlockList, isIP } from 'node:net'

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the proxy for `server` (a URL) by the rules of Go's `http.ProxyFromEnvironment`. HTTPS_PROXY or HTTP_PROXY is
 * chosen by the scheme of the server. Servers that NO_PROXY names have none, and neither has this machine.
 */
export function proxyFromEnvironment(server: string, environment: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server)
  const read = (name: string): string => environment[name] || environment[name.toLowerCase()] || ''
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (proxy === '' || isLocal(host)) return undefined
  const effectivePort = port || (protocol === 'https:' ? '443' : '80')
  const excepted = read('NO_PROXY')
    .split(',')
    .some((entry) => matches(entry.trim().toLowerCase(), host, effectivePort))
  if (excepted) return undefined
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}

const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** An entry is `*`, an address, a network (`10.0.0.0/8`), `example.com` with all below it, or `.example.com` for those only. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const network = /^(.+)\/(\d{1,3})$/.exec(entry)
  if (network !== null) return inNetwork(network[1] ?? '', Number(network[2]), host)
  const { name, port: wanted } = split(entry)
  if (name === '' || (wanted !== '' && wanted !== port)) return false
  if (isIP(host) !== 0) return name === host
  const suffix = name.startsWith('*.') ? name.slice(1) : name
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`)
}

function split(entry: string): { readonly name: string; readonly port: string } {
  if (isIP(entry) !== 0) return { name: entry, port: '' }
  const [, name = '', port = ''] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []
  return { name, port }
}

function inNetwork(address: string, bits: number, host: string): boolean {
  const family = isIP(address)
  if (family === 0 || isIP(host) !== family || bits > (family === 4 ? 32 : 128)) return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, bits, type)
  return list.check(host, type)
}
