import { useSignal } from '@preact/signals'
import type { QuotaRow, QuotasAnswer } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useSession } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { ToNamespace } from '../part/links.tsx'
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
  const path = scope.value === '' ? '/api/v1/quotas' : `/api/v1/quotas?namespace=${encodeURIComponent(scope.value)}`
  const asked = useAnswer<QuotasAnswer>(path, QUOTA_RESOURCES)
  const typed = useSignal('')
  const open = (event: Event): void => {
    event.preventDefault()
    const namespace = typed.value.trim()
    if (namespace !== '') location.hash = hashOf({ view: 'namespace', namespace })
  }
  return (
    <>
      <ViewHeading title="Namespaces" />
      <form class="choice" onSubmit={open}>
        <label for="namespace">Namespace</label>
        <input
          id="namespace"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <button type="submit">Open</button>
      </form>
      <Answered asked={asked.value}>
        {({ rows, notSeen }) => (
          <>
            <RowList
              label="Namespaces with quotas"
              rows={byNamespace(rows).filter(({ namespace }) => namespace.includes(typed.value.trim()))}
              keyOf={({ namespace }) => namespace}
              columns={['Namespace', 'Limits', 'Nearest to its limit', 'Use']}
              line="namespace"
              render={(row) => <NamespaceLine row={row} />}
            />
            <NotSeenNote notSeen={notSeen} />
          </>
        )}
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
