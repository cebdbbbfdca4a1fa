import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { RequestLabels } from '../../../runtime/process/metrics.ts'
import type { Registry } from '../../resource/registry.ts'
import type { ResourceTarget } from '../../auth/request/target.ts'
import { flag } from '../../storing/list-options.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const NOTHING = { group: '', version: '', resource: '', subresource: '' }

/** The labels of a request. Paths and methods that a client makes up never become a label. */
export function requestLabels(
  registry: Registry,
  exchange: Exchange,
  target: ResourceTarget | undefined,
): RequestLabels {
  const method = METHODS.has(exchange.method) ? exchange.method : 'other'
  if (target === undefined) return { verb: method, ...NOTHING }
  const { group, version, resource, subresource } = target
  const found = registry.find(group, version, resource)
  if (found === undefined) return { verb: method, ...NOTHING }
  const known = subresource === '' || found.served.subresources.some(({ name }) => name === subresource)
  return {
    verb: verbOf(method, exchange, target.name),
    group,
    version,
    resource,
    subresource: known ? subresource : '',
  }
}

function verbOf(method: string, exchange: Exchange, name: string): string {
  if (method === 'DELETE' && name === '') return 'DELETECOLLECTION'
  if (method !== 'GET' || name !== '') return method
  return exchange.search !== '' && flag(exchange.query, 'watch') ? 'WATCH' : 'LIST'
}
