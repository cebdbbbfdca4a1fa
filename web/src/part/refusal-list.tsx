import type { NotSeen, RefusalRow } from '../data/answer.ts'
import { EVENTS } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { refusalTimes } from '../format/refusal-times.ts'
import { FirstOf } from './first-of.tsx'
import { ToExplanation, ToNamespace } from './links.tsx'

const MOST = 40

interface RefusalListProps {
  readonly rows: readonly RefusalRow[]
  readonly notSeen: readonly NotSeen[]
  /** Is the namespace told elsewhere? */
  readonly isOfOne?: boolean
}

/** Refusals, each with a link to its explanation, which says whether the object is still blocked. */
export function RefusalList({ rows, notSeen, isOfOne = false }: RefusalListProps) {
  if (rows.length === 0) return <p class="quiet">{nothingText('No refusal was found.', notSeen, EVENTS)}</p>
  const now = Date.now()
  return (
    <FirstOf rows={rows} most={MOST}>
      {(first) => (
        <ul class="cards">
          {first.map((row, index) => (
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
              <p class="quiet" title={row.lastSeen}>
                {refusalTimes(row, now)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </FirstOf>
  )
}
