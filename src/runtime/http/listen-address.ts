import { BlockList, isIP, isIPv6 } from 'node:net'
import { hostPort } from '../../machinery/host-port.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** The names of the own machine, whatever it is called. */
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'] as const

/** The names that a Kubernetes API server has inside a cluster. */
const STANDARD_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.96.0.1',
] as const

/** Can only processes on this machine connect to a server that listens on `host`? */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost'
  return LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

/** Every name under which a server that listens on `host` is reached; `machine`: the machine's own names and addresses. */
export function reachedNames(host: string, machine: readonly string[]): readonly string[] {
  return [...new Set([...LOCAL_NAMES, ...(isUnspecified(host) ? machine : [host])])]
}

/** As `reachedNames`, for an API server. */
export function serverNames(host: string, machine: readonly string[]): readonly string[] {
  return [...new Set([...reachedNames(host, machine), ...STANDARD_NAMES])]
}

/** The address for clients on this machine of a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reached = !isUnspecified(host) ? host : isIPv6(host) ? '::1' : '127.0.0.1'
  return `https://${hostPort(reached, port)}`
}

function isUnspecified(host: string): boolean {
  return isIP(host) !== 0 && /^[0:.]+$/.test(host)
}
