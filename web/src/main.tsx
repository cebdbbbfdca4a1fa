import { render } from 'preact'
import { App } from './app.tsx'
import { Session } from './data/session.ts'
import { tokenIn } from './data/token.ts'
import { keepFocus } from './part/keep-focus.ts'

const root = document.querySelector('#page')
if (!(root instanceof HTMLElement)) throw new Error('the document has no place for the page')
const session = new Session()

/** Signs in where the address has a token, which then leaves the address bar and the steps back of the tab. Browsers may list the address as visited. */
function arrive(): void {
  const token = tokenIn(location.hash)
  if (token === undefined) return
  history.replaceState(null, '', '#/')
  void session.signIn(token)
}

// Before the views listen: none of them sees the token.
addEventListener('hashchange', arrive)
arrive()
keepFocus(root)
render(<App session={session} />, root)
