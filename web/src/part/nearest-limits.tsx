import type { QuotaRow } from '../data/answer.ts'
import { LimitLine, limitKey } from './limit-line.tsx'
import { ToView } from './links.tsx'

const MOST = 8

/** The first limits of those that are sorted by their nearness. */
export function NearestLimits({ rows }: { readonly rows: readonly QuotaRow[] }) {
  if (rows.length === 0) return <p class="quiet">No quota was found.</p>
  return (
    <>
      <ul class="lines">
        {rows.slice(0, MOST).map((row) => (
          <li key={limitKey(row)}>
            <LimitLine row={row} />
          </li>
        ))}
      </ul>
      {rows.length <= MOST ? null : (
        <p>
          <ToView to={{ view: 'quotas' }}>All {rows.length} limits</ToView>
        </p>
      )}
    </>
  )
}
