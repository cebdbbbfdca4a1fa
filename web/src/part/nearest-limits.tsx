import type { NotSeen, QuotaRow } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { Heads } from './heads.tsx'
import { LIMIT_COLUMNS, LimitLine, limitKey } from './limit-line.tsx'
import { ToView } from './links.tsx'

const MOST = 8

/** The first limits of those that are sorted by their nearness. */
export function NearestLimits({
  rows,
  notSeen,
}: {
  readonly rows: readonly QuotaRow[]
  readonly notSeen: readonly NotSeen[]
}) {
  if (rows.length === 0) return <p class="quiet">{nothingText('No quota was found.', notSeen, QUOTA_RESOURCES)}</p>
  return (
    <>
      <Heads columns={LIMIT_COLUMNS} line="limit" />
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
