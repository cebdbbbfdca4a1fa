import type { NamespaceAnswer } from '../data/answer.ts'
import { QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useAnswer } from '../data/use-answer.ts'
import { nothingText } from '../format/nothing-text.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { BlockedList } from '../part/blocked-list.tsx'
import { ClaimList } from '../part/claim-list.tsx'
import { FullIn, limitKey } from '../part/limit-line.tsx'
import { ToExplanation, ToView } from '../part/links.tsx'
import { RefusalList } from '../part/refusal-list.tsx'
import { RoomForm } from '../part/room-form.tsx'
import { UseBar } from '../part/use-bar.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

/** One namespace for its owner. */
export function NamespaceView({ namespace }: { readonly namespace: string }) {
  const asked = useAnswer<NamespaceAnswer>(`/api/v1/namespaces/${encodeURIComponent(namespace)}`)
  return (
    <>
      <ViewHeading title={`Namespace ${namespace}`} />
      <p>
        <ToView to={{ view: 'history', namespace }}>History of {namespace}</ToView>
      </p>
      <Answered asked={asked.value}>{(answer) => <Sections answer={answer} />}</Answered>
      <section aria-labelledby="more">
        <h2 id="more">How do I get more?</h2>
        <RoomForm namespace={namespace} />
      </section>
    </>
  )
}

function Sections({ answer }: { readonly answer: NamespaceAnswer }) {
  const { namespace, quotas, claims, increases, blocked, isWhole, unread, refusals, notSeen } = answer
  return (
    <>
      <section aria-labelledby="have">
        <h2 id="have">What do I have?</h2>
        {quotas.length === 0 ? (
          <p class="quiet">{nothingText('No quota was found.', notSeen, QUOTA_RESOURCES)}</p>
        ) : null}
        <ul class="lines">
          {quotas.map((row) => (
            <li key={limitKey(row)}>
              <div class="line own">
                <span class="cell" title={`${row.kind} ${row.name}`}>
                  <span class="kind">{row.kind}</span> {row.name}
                </span>
                <span class="cell" title={row.resource}>
                  {row.resource}
                </span>
                <UseBar row={row} filled={row} />
                <FullIn row={row} heading="full " />
              </div>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="waits">
        <h2 id="waits">What waits?</h2>
        <BlockedList blocked={blocked} notSeen={notSeen} />
        {isWhole ? null : <p class="quiet">There may be more: not every workload was looked at.</p>}
        {unread.map((text) => (
          <p key={text} class="problem">
            {text}
          </p>
        ))}
        <h3>Claims</h3>
        <ClaimList claims={claims} notSeen={notSeen} />
        {increases.length === 0 ? null : (
          <>
            <h3>Increases</h3>
            <ul class="cards">
              {increases.map(({ name, summary, causes }) => (
                <li key={name}>
                  <p class="title">
                    <ToExplanation object={{ namespace, kind: 'QuotaIncrease', name }} />
                  </p>
                  <p>{summary}</p>
                  {causes.map(({ text }) => (
                    <p key={text} class="quiet">
                      {text}
                    </p>
                  ))}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
      <section aria-labelledby="why">
        <h2 id="why">Why was I refused?</h2>
        <RefusalList rows={refusals} notSeen={notSeen} isOfOne />
      </section>
      <NotSeenNote notSeen={notSeen} />
    </>
  )
}
