import { useSession } from '../data/session.ts'
import { hashOf, type Route } from '../route/route.ts'
import { ThemeSwitch } from './theme-switch.tsx'

const LINKS: readonly (readonly [title: string, route: Route, views: readonly Route['view'][]])[] = [
  ['Overview', { view: 'overview' }, ['overview']],
  ['Quotas', { view: 'quotas' }, ['quotas']],
  ['Pools', { view: 'pools' }, ['pools']],
  ['Namespaces', { view: 'namespaces' }, ['namespaces', 'namespace', 'explanation']],
  ['History', { view: 'history', namespace: '' }, ['history']],
]
const STATES = { live: 'Live', connecting: 'Connecting …', 'not live': 'Not live' } as const

export function PageHeader({ route }: { readonly route: Route }) {
  const session = useSession()
  const viewer = session.viewer.value
  const state = session.live.state.value.is
  return (
    <header>
      <span class="brand">allot</span>
      {viewer === undefined ? null : (
        <nav aria-label="Views">
          <ul>
            {LINKS.map(([title, to, views]) => (
              <li key={title}>
                <a href={hashOf(to)} aria-current={views.includes(route.view) ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div class="tools">
        {viewer === undefined ? null : <span class={`live ${state === 'live' ? 'is-live' : ''}`}>{STATES[state]}</span>}
        <ThemeSwitch />
        {viewer === undefined ? null : (
          <button type="button" title={viewer.user ?? 'signed in with a token'} onClick={() => session.signOut()}>
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}
