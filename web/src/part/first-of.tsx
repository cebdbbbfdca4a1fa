import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface FirstOfProps<T> {
  readonly rows: readonly T[]
  readonly most: number
  readonly children: (rows: readonly T[]) => ComponentChildren
}

/** The first rows of a list that may be long, and as many more with each press of a button. */
export function FirstOf<T>({ rows, most, children }: FirstOfProps<T>) {
  const shown = useSignal(most)
  return (
    <>
      {children(rows.slice(0, shown.value))}
      {rows.length <= shown.value ? null : (
        <button type="button" class="plain" onClick={() => (shown.value += most)}>
          and {rows.length - shown.value} more
        </button>
      )}
    </>
  )
}
