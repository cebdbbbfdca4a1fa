import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { shownWindow } from '../format/shown-window.ts'

interface RowListProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** The heads of the columns, which each row repeats for those who hear it. */
  readonly columns: readonly string[]
  /** The class of the lines, which have the widths of the columns. */
  readonly line: string
  readonly render: (row: T) => ComponentChildren
}

/** In pixels, as `page.css` has them. */
const ROW = 44
const NARROW_ROW = 116
const NARROW = '(max-width: 1180px)'

/** A list of any length, of which only the rows that are seen are in the document. */
export function RowList<T>({ label, rows, keyOf, columns, line, render }: RowListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const scrolled = useSignal(0)
  const height = useSignal(600)
  const rowHeight = useSignal(ROW)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => {
      height.value = element.clientHeight
      rowHeight.value = matchMedia(NARROW).matches ? NARROW_ROW : ROW
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { first, end } = shownWindow(rows.length, rowHeight.value, scrolled.value, height.value)
  return (
    <div class="rows">
      <div class={`heads ${line}`} aria-hidden="true">
        {columns.map((column) => (
          <span key={column}>{column}</span>
        ))}
      </div>
      <div
        class="scroll"
        ref={box}
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={({ currentTarget }) => (scrolled.value = currentTarget.scrollTop)}
      >
        <ul style={{ height: `${rows.length * rowHeight.value}px` }}>
          {rows.slice(first, end).map((row, index) => (
            <li
              key={keyOf(row)}
              aria-setsize={rows.length}
              aria-posinset={first + index + 1}
              style={{ top: `${(first + index) * rowHeight.value}px`, height: `${rowHeight.value}px` }}
            >
              {render(row)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
