import { useEffect } from 'preact/hooks'
import { type Session, SessionProvider } from './data/session.ts'
import { LiveRegion } from './part/live-region.tsx'
import { NotLive } from './part/not-live.tsx'
import { PageHeader } from './part/page-header.tsx'
import { followedNamespace } from './route/followed-namespace.ts'
import { useRoute } from './route/use-route.ts'
import { useScopePlaces } from './route/scope-places.ts'
import { useVisible } from './route/use-visible.ts'
import { SignIn } from './view/sign-in.tsx'
import { View } from './view/view.tsx'

export function App({ session }: { readonly session: Session }) {
  const route = useRoute()
  const viewer = session.viewer.value
  const namespace = viewer?.seesAll === true ? '' : followedNamespace(route, session.scope.value)
  useScopePlaces(session.scope)
  const isVisible = useVisible()
  useEffect(() => {
    if (viewer === undefined) return
    if (isVisible) session.live.follow(viewer.server, namespace)
    else session.live.rest()
  }, [viewer, namespace, isVisible])
  return (
    <SessionProvider value={session}>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <PageHeader route={route} />
      <NotLive />
      <main id="main" tabIndex={-1}>
        {viewer === undefined ? <SignIn /> : <View route={route} />}
      </main>
      <LiveRegion />
    </SessionProvider>
  )
}

/** The part of the address after `#` is the view, so the link moves the focus itself. */
function skip(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}
