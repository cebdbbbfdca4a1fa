import { useSignal } from '@preact/signals'
import { useSession } from '../data/session.ts'

/** Which namespace the start page and the quotas show. */
export function NamespaceChoice() {
  const session = useSession()
  const { scope, said } = session
  const typed = useSignal(scope.value)
  const choose = (namespace: string): void => {
    typed.value = namespace
    scope.value = namespace
    said.value = namespace === '' ? 'All namespaces are shown' : `The namespace ${namespace} is shown`
  }
  return (
    <form
      class="choice"
      onSubmit={(event) => {
        event.preventDefault()
        choose(typed.value.trim())
      }}
    >
      <label for="scope">Namespace</label>
      <input
        id="scope"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder="all"
        value={typed.value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <button type="submit">Show</button>
      {scope.value === '' ? null : (
        <button type="button" onClick={() => choose('')}>
          Show all
        </button>
      )}
    </form>
  )
}
