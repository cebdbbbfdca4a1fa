import type { ComponentChildren } from 'preact'

interface ViewSectionProps {
  readonly id: string
  readonly title: string
  readonly children: ComponentChildren
}

/** A part of a view, under its heading. */
export function ViewSection({ id, title, children }: ViewSectionProps) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
