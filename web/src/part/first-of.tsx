import type { ComponentChildren } from 'preact'

interface FirstOfProps<T> {
  readonly rows: readonly T[]
  readonly most: number
  readonly children: (rows: readonly T[]) => ComponentChildren
}

/** The first rows of a list that may be long, and how many more there are. */
export function FirstOf<T>({ rows, most, children }: FirstOfProps<T>) {
  return (
    <>
      {children(rows.slice(0, most))}
      {rows.length <= most ? null : <p class="quiet">and {rows.length - most} more</p>}
    </>
  )
}
