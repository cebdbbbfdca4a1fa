import { useSignal } from '@preact/signals'
import type { QuotaRow, QuotasAnswer } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useSession } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { isNear, matches } from '../format/quota-filter.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { LIMIT_COLUMNS, LimitLine, limitKey } from '../part/limit-line.tsx'
import { NamespaceChoice } from '../part/namespace-choice.tsx'
import { RowList } from '../part/row-list.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

/** The limits of quotas of all systems, the nearest to its limit first. */
export function QuotasView() {
  const session = useSession()
  const scope = session.scope.value
  const path = scope === '' ? '/api/v1/quotas' : `/api/v1/quotas?namespace=${encodeURIComponent(scope)}`
  const asked = useAnswer<QuotasAnswer>(path, QUOTA_RESOURCES)
  const words = useSignal('')
  const isNearOnly = useSignal(false)
  const [first = 100] = session.viewer.value?.settings.warnAt ?? []
  const shown = (rows: readonly QuotaRow[]): readonly QuotaRow[] =>
    rows.filter((row) => matches(row, words.value) && (!isNearOnly.value || isNear(row, first)))
  return (
    <>
      <ViewHeading title="Quotas" />
      <NamespaceChoice />
      <div class="choice" role="search" aria-label="Filter of the quotas">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          value={words.value}
          placeholder="namespace, kind, name or resource"
          onInput={({ currentTarget }) => (words.value = currentTarget.value)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isNearOnly.value}
            onChange={({ currentTarget }) => (isNearOnly.value = currentTarget.checked)}
          />
          From {first} %
        </label>
      </div>
      <Answered asked={asked.value}>
        {({ rows, notSeen }) => {
          const some = shown(rows)
          return (
            <>
              <p class="quiet" role="status">
                {some.length === rows.length ? `${rows.length} limits` : `${some.length} of ${rows.length} limits`}
              </p>
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
