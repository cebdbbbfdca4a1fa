import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface ViewHeadingProps {
  /** Of the document, and where it changes another view has come. */
  readonly title: string
  /** Where a field of the view takes the focus instead. */
  readonly hasNoFocus?: boolean
  readonly children?: ComponentChildren
}

/**
 * The heading of a view. It takes the focus when the view comes, so that a screen reader says where one is. It does so before the page is painted: until
 * then `keepFocus` would give the focus to the whole page.
 */
export function ViewHeading({ title, hasNoFocus = false, children }: ViewHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · allot`
    if (!hasNoFocus) heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [title])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}
