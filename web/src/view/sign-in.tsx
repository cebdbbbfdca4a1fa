import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useSession } from '../data/session.ts'
import { ViewHeading } from '../part/view-heading.tsx'

/** Asks for a token, which only the memory of the page keeps. */
export function SignIn() {
  const session = useSession()
  const token = useSignal('')
  const problem = session.problem.value
  const tryAgain = session.tryAgain.value
  const submit = (event: Event): void => {
    event.preventDefault()
    const given = token.value.trim()
    if (given !== '') void session.signIn(given)
  }
  const field = useRef<HTMLInputElement>(null)
  const { isSigningIn } = session
  useLayoutEffect(() => field.current?.focus(), [isSigningIn.value])
  if (isSigningIn.value) return <ViewHeading title="Signing in …" />
  return (
    <div class="sign-in">
      <ViewHeading title="Sign in" hasNoFocus />
      <p>The dashboard shows what a token of the cluster may read, and nothing else.</p>
      <form onSubmit={submit}>
        <label for="token">Bearer token</label>
        <input
          id="token"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token.value}
          aria-describedby={problem === '' ? undefined : 'token-problem'}
          aria-invalid={problem !== ''}
          onInput={({ currentTarget }) => (token.value = currentTarget.value)}
        />
        {problem === '' ? null : (
          <p class="problem" id="token-problem" role="alert">
            {problem}
          </p>
        )}
        {tryAgain === undefined ? null : (
          <button type="button" onClick={tryAgain}>
            Try again with the same token
          </button>
        )}{' '}
        <button type="submit" class="main">
          Sign in
        </button>
      </form>
      <h2>Get a token</h2>
      <p>A token of a ServiceAccount:</p>
      <pre tabIndex={0} aria-label="Command for a token">
        kubectl -n NAMESPACE create token NAME
      </pre>
      <p>
        <code>allot up</code> writes a URL that signs in as the administrator into the file <code>dashboard-url</code>{' '}
        of its data directory.
      </p>
      <p class="quiet">The token stays in the memory of this page. A reload or a closed tab forgets it.</p>
    </div>
  )
}
