import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface FilterFieldProps {
  /** What is filtered, such as `quotas`. */
  readonly of: string
  readonly words: Signal<string>
  /** In which names the words are looked for. */
  readonly names: string
  /** Further choices. */
  readonly children?: ComponentChildren
}

/** Asks for words that rows must have in their names. */
export function FilterField({ of, words, names, children }: FilterFieldProps) {
  return (
    <div class="choice" role="search" aria-label={`Filter of the ${of}`}>
      <label for="filter">Filter</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        spellcheck={false}
        value={words.value}
        placeholder={names}
        onInput={({ currentTarget }) => (words.value = currentTarget.value)}
      />
      {children}
    </div>
  )
}

interface FilteredCountProps {
  readonly shown: number
  readonly all: number
  /** One of the rows, such as `limit`. */
  readonly one: string
}

/** How many rows there are, and how many of them a filter lets through. */
export function FilteredCount({ shown, all, one }: FilteredCountProps) {
  const rows = all === 1 ? one : `${one}s`
  return (
    <p class="quiet" role="status">
      {shown === all ? `${all} ${rows}` : shown === 0 ? `None of ${all} ${rows} match` : `${shown} of ${all} ${rows}`}
    </p>
  )
}
