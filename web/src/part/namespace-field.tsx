import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface NamespaceFieldProps {
  readonly typed: Signal<string>
  /** What the button says. */
  readonly action: string
  readonly placeholder?: string
  readonly onChoose: (namespace: string) => void
  /** Further buttons. */
  readonly children?: ComponentChildren
}

/** Asks for the name of a namespace: no list of those that a viewer may read can be had. */
export function NamespaceField({ typed, action, placeholder, onChoose, children }: NamespaceFieldProps) {
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
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <button type="submit">{action}</button>
      {children}
    </form>
  )
}
