import { useEffect, useRef } from 'preact/hooks'
import type { HistoryRow } from '../data/answer.ts'
import { useViewer } from '../data/session.ts'
import { readablePair } from '../format/readable-amount.ts'
import { momentText } from '../format/times.ts'
import { filledAtLast, useOf } from '../format/use-of.ts'
import { drawHistory } from './draw-history.ts'

/** The use of one limit over time. */
export function HistoryChart({ row }: { readonly row: HistoryRow }) {
  const { warnAt } = useViewer().settings
  const { level } = useOf(filledAtLast(row.samples), warnAt)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const over = new AbortController()
    drawHistory(element, row, level, over.signal)
    return () => over.abort()
  }, [row, level])
  const last = row.samples.at(-1)
  const words =
    last === undefined
      ? 'There is no sample yet.'
      : `${readablePair(last.used, last.hard, row.resource).join(' of ')} used at ${momentText(new Date(last.at), Date.now())}`
  return (
    <figure>
      <figcaption>
        {row.namespace === undefined ? '' : `${row.namespace}: `}
        {row.kind} {row.name}, {row.resource}: {words} <span class="quiet">The dashed line is the limit.</span>
      </figcaption>
      <div class="chart" ref={place} aria-hidden="true" />
    </figure>
  )
}
