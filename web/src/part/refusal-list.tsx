import type { NotSeen, RefusalRow } from '../data/answer.ts'
import { EVENTS } from '../data/resource-names.ts'
import { fairPick } from '../format/fair-pick.ts'
import { nothingText } from '../format/nothing-text.ts'
import { objectText } from '../format/object-text.ts'
import { refusalTimes } from '../format/refusal-times.ts'
import { ToExplanation, ToNamespace } from './links.tsx'
import { RowList } from './row-list.tsx'

const MOST = 40

interface RefusalListProps {
  readonly rows: readonly RefusalRow[]
  readonly notSeen: readonly NotSeen[]
  /** Is the namespace told elsewhere? */
  readonly isOfOne?: boolean
}

/**
 * Refusals, each with a link to its explanation, which says whether the object is still blocked. The first ones are of as many namespaces as can be:
 * no namespace hides what others have.
 */
export function RefusalList({ rows, notSeen, isOfOne = false }: RefusalListProps) {
  if (rows.length === 0) return <p class="quiet">{nothingText('No refusal was found.', notSeen, EVENTS)}</p>
  const now = Date.now()
  const { picked, rest } = fairPick(rows, MOST, ({ namespace }) => namespace)
  return (
    <>
      <ul class="cards">
        {picked.map((row) => (
          <li key={keyOf(row)}>
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
      {rest.length === 0 ? null : (
        <details>
          <summary>and {rest.length} more</summary>
          <RowList
            label="More refusals"
            rows={rest}
            keyOf={keyOf}
            columns={['Namespace', 'Object', 'Message', 'Last refused']}
            line="refusal"
            render={(row) => <RefusalLine row={row} now={now} />}
          />
        </details>
      )}
    </>
  )
}

function RefusalLine({ row, now }: { readonly row: RefusalRow; readonly now: number }) {
  return (
    <div class="line refusal">
      <span class="cell" title={row.namespace}>
        <ToNamespace namespace={row.namespace} />
      </span>
      <span class="cell" title={objectText(row)}>
        <ToExplanation object={row} />
      </span>
      <span class="cell message" title={row.message}>
        {row.message}
      </span>
      <span class="cell quiet" title={row.lastSeen}>
        {refusalTimes(row, now)}
      </span>
    </div>
  )
}

/** There is one row of each object. */
const keyOf = ({ namespace, kind, name }: RefusalRow): string => [namespace, kind, name].join('/')
