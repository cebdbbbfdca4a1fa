import type { Route } from './route.ts'

/** The namespace whose changes a view has to be told of; empty: all. */
export function followedNamespace(route: Route, scope: string): string {
  return 'namespace' in route && route.namespace !== '' ? route.namespace : scope
}
