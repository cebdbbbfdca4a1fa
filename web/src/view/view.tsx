import type { Route } from '../route/route.ts'
import { noNamespaceText } from '../format/namespace-name.ts'
import { lazyView } from '../part/lazy-view.tsx'
import { NamespacesView } from './namespaces-view.tsx'
import { Nowhere } from './nowhere.tsx'
import { Overview } from './overview.tsx'
import { PoolsView } from './pools-view.tsx'
import { QuotasView } from './quotas-view.tsx'

/** It is large, and a click away from the start page. */
const ExplanationView = lazyView(async () => (await import('./explanation-view.tsx')).ExplanationView)
/** It comes with the form for more room. */
const NamespaceView = lazyView(async () => (await import('./namespace-view.tsx')).NamespaceView)
/** It comes with a library that draws charts. */
const HistoryView = lazyView(async () => (await import('./history-view.tsx')).HistoryView)

/** The view that a route names. */
export function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'overview':
      return <Overview />
    case 'quotas':
      return <QuotasView />
    case 'pools':
      return <PoolsView />
    case 'namespaces':
      return <NamespacesView />
    case 'namespace':
      return <NamespaceView key={route.namespace} namespace={route.namespace} />
    case 'explanation':
      return <ExplanationView key={`${route.namespace}/${route.kind}/${route.name}`} {...route} />
    case 'history':
      return <HistoryView key={route.namespace} namespace={route.namespace} />
    case 'no namespace':
      return <Nowhere why={noNamespaceText(route.text)} />
    case 'nowhere':
    default:
      return <Nowhere />
  }
}
