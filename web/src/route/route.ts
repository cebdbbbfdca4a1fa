import { isNamespaceName } from '../format/namespace-name.ts'

/** A view, as the part of the address after `#` names it. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'quotas' }
  | { readonly view: 'pools' }
  | { readonly view: 'namespaces' }
  | { readonly view: 'namespace'; readonly namespace: string }
  | { readonly view: 'explanation'; readonly namespace: string; readonly kind: string; readonly name: string }
  | { readonly view: 'history'; readonly namespace: string }
  /** Of a namespace that there cannot be. */
  | { readonly view: 'no namespace'; readonly text: string }
  | { readonly view: 'nowhere' }

/** Reads the part of an address from `#` on. */
export function routeOf(hash: string): Route {
  const route = namedBy(hash)
  if (!('namespace' in route) || isNamespaceName(route.namespace)) return route
  return route.view === 'history' && route.namespace === '' ? route : { view: 'no namespace', text: route.namespace }
}

function namedBy(hash: string): Route {
  const parts = hash.replace(/^#?\/?/, '').split('/')
  const [view = '', ...encoded] = parts
  const given = encoded.map(decoded)
  if (given.includes(undefined)) return { view: 'nowhere' }
  const [namespace = '', kind = '', name = ''] = given
  const count = given.filter((one) => one !== '').length
  if (view === '' && count === 0) return { view: 'overview' }
  if (view === 'quotas' && count === 0) return { view }
  if (view === 'pools' && count === 0) return { view }
  if (view === 'namespaces' && count === 0) return { view }
  if (view === 'namespaces' && given.length === 1) return { view: 'namespace', namespace }
  if (view === 'explain' && given.length === 3 && count === 3) return { view: 'explanation', namespace, kind, name }
  if (view === 'history' && given.length <= 1) return { view, namespace }
  return { view: 'nowhere' }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/** The part of the address that leads to a view. */
export function hashOf(route: Route): string {
  switch (route.view) {
    case 'namespace':
      return address('namespaces', route.namespace)
    case 'explanation':
      return address('explain', route.namespace, route.kind, route.name)
    case 'history':
      return route.namespace === '' ? '#/history' : address('history', route.namespace)
    case 'quotas':
    case 'pools':
    case 'namespaces':
    case 'nowhere':
      return `#/${route.view}`
    case 'no namespace':
      return address('namespaces', route.text)
    case 'overview':
    default:
      return '#/'
  }
}

const address = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`
