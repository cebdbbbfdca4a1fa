import type { NotSeen, RefusalRow } from '../data/answer.ts'
import { EVENTS } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { refusalTimes } from '../format/refusal-times.ts'
import { ToExplanation, ToNamespace } from './links.tsx'

interface RefusalListProps {
  readonly rows: readonly RefusalRow[]
  readonly notSeen: readonly NotSeen[]
  /** Is the namespace told elsewhere? */
  readonly isOfOne?: boolean
}

/** Refusals, each with a link to its explanation. */
export function RefusalList({ rows, notSeen, isOfOne = false }: RefusalListProps) {
  if (rows.length === 0) return <p class="quiet">{nothingText('No refusal was found.', notSeen, EVENTS)}</p>
  const now = Date.now()
  return (
    <ul class="cards">
      {rows.map((row, index) => (
        <li key={`${row.namespace}/${row.kind}/${row.name}/${row.message}/${index}`}>
          <p class="title">
            <ToExplanation object={row} />
            {isOfOne ? null : (
              <>
                {' '}
                in <ToNamespace namespace={row.namespace} />
              </>
            )}
          </p>
          <p>{row.message}</p>
          <p class="quiet" title={row.lastSeen ?? row.last}>
            {refusalTimes(row, now)}
          </p>
        </li>
      ))}
    </ul>
  )
}
