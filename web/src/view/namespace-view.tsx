import type { IncreaseRow, NamespaceAnswer } from '../data/answer.ts'
import { CLAIMS, QUOTA_RESOURCES } from '../data/resource-names.ts'
import { NOT_FOUND, useAnswer } from '../data/use-answer.ts'
import { nothingText } from '../format/nothing-text.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { BlockedWorkloads } from '../part/blocked-workloads.tsx'
import { ClaimList } from '../part/claim-list.tsx'
import { ExplainedList } from '../part/explained-list.tsx'
import { FullIn, limitKey, OwnPart } from '../part/limit-line.tsx'
import { ToView } from '../part/links.tsx'
import { MissingNote } from '../part/missing-note.tsx'
import { NoNamespace, NothingHere } from '../part/nothing-here.tsx'
import { RefusalList } from '../part/refusal-list.tsx'
import { RoomForm } from '../part/room-form.tsx'
import { UseBar } from '../part/use-bar.tsx'
import { ViewHeading } from '../part/view-heading.tsx'
import { ViewSection } from '../part/view-section.tsx'
import { WaitingClaims } from '../part/waiting-claims.tsx'
import { hashOf } from '../route/route.ts'

/** One namespace for its owner. */
export function NamespaceView({ namespace }: { readonly namespace: string }) {
  const asked = useAnswer<NamespaceAnswer>(`/api/v1/namespaces/${encodeURIComponent(namespace)}`)
  return (
    <>
      <ViewHeading title={`Namespace ${namespace}`} />
      <p>
        <ToView to={{ view: 'history', namespace }}>History of {namespace}</ToView> ·{' '}
        <a href={hashOf({ view: 'namespace', namespace })} onClick={toForm}>
          How do I get more?
        </a>
      </p>
      <Answered asked={asked}>{(answer) => <Sections answer={answer} />}</Answered>
      {asked.code === NOT_FOUND ? (
        <NoNamespace />
      ) : (
        <ViewSection id="more" title="How do I get more?">
          <RoomForm namespace={namespace} />
        </ViewSection>
      )}
    </>
  )
}

/** The part of the address after `#` is the view, so the link moves the focus itself. */
function toForm(event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#room-name')?.focus()
}

function Sections({ answer }: { readonly answer: NamespaceAnswer }) {
  const { namespace, quotas, claims, increases, refusals, notSeen } = answer
  const { true: had = [], false: waiting = [] } = Object.groupBy(increases, ({ verdict }) => `${verdict === 'clear'}`)
  const others = claims.filter(({ state }) => state !== 'waiting')
  return (
    <>
      <MissingNote answer={{ notSeen: answer.notSeen }} rows="objects" />
      <NothingHere answer={answer} />
      <ViewSection id="have" title="What do I have?">
        {quotas.length === 0 ? (
          <p class="quiet">{nothingText('No quota was found.', notSeen, QUOTA_RESOURCES)}</p>
        ) : null}
        <ul class="lines">
          {quotas.map((row) => (
            <li key={limitKey(row)}>
              <div class="line own">
                <span class="cell" title={`${row.kind} ${row.name}`}>
                  <span class="kind">{row.kind}</span> {row.name} <OwnPart row={row} />
                </span>
                <span class="cell" title={row.resource}>
                  {row.resource}
                </span>
                <UseBar row={row} filled={row} />
                <FullIn row={row} />
              </div>
            </li>
          ))}
        </ul>
        <h3>Claims</h3>
        {others.length === 0 ? (
          <p class="quiet">{nothingText('No claim has been granted.', notSeen, CLAIMS)}</p>
        ) : (
          <ClaimList claims={others} />
        )}
        <Increases rows={had} namespace={namespace} />
      </ViewSection>
      <ViewSection id="waits" title="What waits?">
        <BlockedWorkloads answer={answer} />
        <WaitingClaims claims={claims} />
        <Increases rows={waiting} namespace={namespace} />
      </ViewSection>
      <ViewSection id="why" title="Why was I refused?">
        <RefusalList rows={refusals} notSeen={notSeen} isOfOne />
      </ViewSection>
      <NotSeenNote notSeen={notSeen} />
    </>
  )
}

interface IncreasesProps {
  readonly rows: readonly IncreaseRow[]
  readonly namespace: string
}

function Increases({ rows, namespace }: IncreasesProps) {
  if (rows.length === 0) return null
  return (
    <>
      <h3>Increases</h3>
      <ExplainedList
        rows={rows.map(({ name, summary, causes }) => ({
          object: { namespace, kind: 'QuotaIncrease', name },
          summary,
          causes,
        }))}
      />
    </>
  )
}
