import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface NamespaceFieldProps {
  readonly typed: Signal<string>
  /** What the button says. */
  readonly action: string
  readonly placeholder?: string
  /** What is wrong with the name. */
  readonly mistake?: string
  readonly onChoose: (namespace: string) => void
  /** Further buttons. */
  readonly children?: ComponentChildren
}

/** Asks for the name of a namespace: no list of those that a viewer may read can be had. */
export function NamespaceField({ typed, action, placeholder, mistake = '', onChoose, children }: NamespaceFieldProps) {
  return (
    <form
      class="choice"
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(typed.value.trim())
      }}
    >
      <label for="namespace">Namespace</label>
      <input
        id="namespace"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={typed.value}
        aria-invalid={mistake !== ''}
        aria-describedby={mistake === '' ? undefined : 'namespace-mistake'}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <button type="submit">{action}</button>
      {children}
      {mistake === '' ? null : (
        <p class="problem" id="namespace-mistake" role="alert">
          {mistake}
        </p>
      )}
    </form>
  )
}
