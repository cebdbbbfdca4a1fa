import type { QuotaRow, QuotasAnswer } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { scopedPath } from '../data/scoped-path.ts'
import { useSession } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { useKept } from '../data/use-kept.ts'
import { isNear, matches } from '../format/quota-filter.ts'
import { nothingText } from '../format/nothing-text.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { FilteredCount, FilterField } from '../part/filter-field.tsx'
import { LIMIT_COLUMNS, LimitLine, limitKey } from '../part/limit-line.tsx'
import { BY_NAMESPACE, MissingNote } from '../part/missing-note.tsx'
import { NamespaceChoice } from '../part/namespace-choice.tsx'
import { RowList } from '../part/row-list.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

/** The limits of quotas of all systems, the nearest to its limit first. */
export function QuotasView() {
  const session = useSession()
  const scope = session.scope.value
  const asked = useAnswer<QuotasAnswer>(scopedPath('/api/v1/quotas', scope), QUOTA_RESOURCES)
  const words = useKept('words of quotas', '')
  const isNearOnly = useKept('near quotas only', false)
  const [first] = session.viewer.value?.settings.warnAt ?? []
  const shown = (rows: readonly QuotaRow[]): readonly QuotaRow[] =>
    rows.filter((row) => matches(row, words.value) && (!isNearOnly.value || isNear(row, first ?? 100)))
  return (
    <>
      <ViewHeading title="Quotas" />
      <NamespaceChoice />
      <FilterField of="quotas" words={words} names="namespace, kind, name or resource">
        <label class="check">
          <input
            type="checkbox"
            checked={isNearOnly.value}
            onChange={({ currentTarget }) => (isNearOnly.value = currentTarget.checked)}
          />
          {first === undefined ? 'Only full ones' : `Only from ${first} %`}
        </label>
      </FilterField>
      <Answered asked={asked}>
        {({ rows, notSeen }) => {
          const some = shown(rows)
          return (
            <>
              <MissingNote answer={{ notSeen }} rows="quotas" hint={scope === '' ? BY_NAMESPACE : ''} />
              {rows.length === 0 ? (
                <p class="quiet">{nothingText('No quota was found.', notSeen, QUOTA_RESOURCES)}</p>
              ) : (
                <FilteredCount shown={some.length} all={rows.length} one="limit" />
              )}
              <RowList
                label="Limits of quotas"
                rows={some}
                keyOf={limitKey}
                columns={LIMIT_COLUMNS}
                line="limit"
                render={(row) => <LimitLine row={row} />}
              />
              <NotSeenNote notSeen={notSeen} />
            </>
          )
        }}
      </Answered>
    </>
  )
}
