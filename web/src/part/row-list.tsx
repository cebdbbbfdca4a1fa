import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useKept } from '../data/use-kept.ts'
import { shownWindow } from '../format/shown-window.ts'
import { Heads } from './heads.tsx'

interface RowListProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** The heads of the columns. */
  readonly columns: readonly string[]
  /** The class of the lines, which have the widths of the columns. */
  readonly line: string
  readonly render: (row: T) => ComponentChildren
}

/** So high is a row with two lines of text, in pixels. */
const LEAST_ROW = 44
/** Between the texts of two rows at least, in pixels. */
const BETWEEN = 3

/** A list of any length, of which only the rows that are seen are in the document. All are as high as the highest that has been seen. */
export function RowList<T>({ label, rows, keyOf, columns, line, render }: RowListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  /** How many rows are above what is seen. */
  const above = useKept(`above ${label}`, 0)
  const height = useSignal(600)
  const rowHeight = useSignal(LEAST_ROW)
  const grow = (from: number): void => {
    const heights = [...(list.current?.children ?? [])].map((row) => row.firstElementChild?.scrollHeight ?? 0)
    rowHeight.value = Math.max(from, ...heights.map((one) => one + BETWEEN))
  }
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let width = element.clientWidth
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
      if (element.clientWidth === width) return
      width = element.clientWidth
      grow(LEAST_ROW)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => grow(rowHeight.value))
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = above.value * rowHeight.value
  }, [rowHeight.value])
  const { first, end } = shownWindow(rows.length, rowHeight.value, above.value * rowHeight.value, height.value)
  return (
    <div class="rows">
      <Heads columns={columns} line={line} />
      <div
        class="scroll"
        ref={box}
        role="region"
        aria-label={label}
        tabIndex={0}
        onScroll={({ currentTarget }) => (above.value = currentTarget.scrollTop / rowHeight.value)}
      >
        <ul ref={list} style={{ height: `${rows.length * rowHeight.value}px` }}>
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
