import type { QuotaRow, QuotasAnswer } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { scopedPath } from '../data/scoped-path.ts'
import { useSession, useViewer } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { useKept } from '../data/use-kept.ts'
import { nothingText } from '../format/nothing-text.ts'
import { hasWords } from '../format/quota-filter.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { FilteredCount } from '../part/filter-field.tsx'
import { ToNamespace } from '../part/links.tsx'
import { MissingNote } from '../part/missing-note.tsx'
import { NamespaceField } from '../part/namespace-field.tsx'
import { RowList } from '../part/row-list.tsx'
import { UseBar } from '../part/use-bar.tsx'
import { ViewHeading } from '../part/view-heading.tsx'
import { hashOf } from '../route/route.ts'

interface NamespaceRow {
  readonly namespace: string
  readonly limits: number
  readonly nearest: QuotaRow
}

/** The namespaces that have quotas, by the limit that is nearest. */
export function NamespacesView() {
  const { scope } = useSession()
  const { seesAll } = useViewer()
  const asked = useAnswer<QuotasAnswer>(scopedPath('/api/v1/quotas', seesAll ? '' : scope.value), QUOTA_RESOURCES)
  const typed = useKept('words of namespaces', '')
  const open = (namespace: string): void => {
    if (namespace !== '') location.hash = hashOf({ view: 'namespace', namespace })
  }
  return (
    <>
      <ViewHeading title="Namespaces" />
      <NamespaceField typed={typed} action="Open" placeholder="name, or a part of it" onChoose={open} />
      <Answered asked={asked}>
        {({ rows, notSeen }) => {
          const all = byNamespace(rows)
          const some = all.filter(({ namespace }) => hasWords([namespace], typed.value))
          return (
            <>
              <MissingNote answer={{ notSeen }} rows="namespaces" hint="Enter the name of a namespace to open it." />
              {all.length === 0 ? (
                <p class="quiet">{nothingText('No namespace with a quota was found.', notSeen, QUOTA_RESOURCES)}</p>
              ) : (
                <FilteredCount shown={some.length} all={all.length} one="namespace" />
              )}
              {some.length === 0 ? (
                <p class="quiet">Namespaces without quotas are not listed. Enter the whole name to open one.</p>
              ) : null}
              <RowList
                label="Namespaces with quotas"
                rows={some}
                keyOf={({ namespace }) => namespace}
                columns={['Namespace', 'Limits', 'Nearest to its limit', 'Use']}
                line="namespace"
                render={(row) => <NamespaceLine row={row} />}
              />
              <NotSeenNote notSeen={notSeen} />
            </>
          )
        }}
      </Answered>
    </>
  )
}

/** The rows are sorted: the first of each namespace is the nearest. */
function byNamespace(rows: readonly QuotaRow[]): readonly NamespaceRow[] {
  const groups = Map.groupBy(
    rows.filter(({ namespace }) => namespace !== ''),
    ({ namespace }) => namespace,
  )
  return [...groups].flatMap(([namespace, own]) => {
    const [nearest] = own
    return nearest === undefined ? [] : [{ namespace, limits: own.length, nearest }]
  })
}

function NamespaceLine({ row: { namespace, limits, nearest } }: { readonly row: NamespaceRow }) {
  return (
    <div class="line namespace">
      <span class="cell" title={namespace}>
        <ToNamespace namespace={namespace} />
      </span>
      <span class="cell">
        {limits} {limits === 1 ? 'limit' : 'limits'}
      </span>
      <span class="cell" title={`${nearest.kind} ${nearest.name}, ${nearest.resource}`}>
        <span class="kind">{nearest.kind}</span> {nearest.name}, {nearest.resource}
      </span>
      <UseBar row={nearest} filled={nearest} />
    </div>
  )
}
