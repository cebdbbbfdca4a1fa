import type { Route } from './route.ts'

/** The namespace of whose changes a view has to be told to a viewer of a few namespaces; empty: all. */
export function followedNamespace(route: Route, scope: string): string {
  return 'namespace' in route && route.namespace !== '' ? route.namespace : scope
}
