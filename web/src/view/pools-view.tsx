import type { PoolAnswerRow, PoolsAnswer } from '../data/answer.ts'
import { POOL_RESOURCES, POOLS } from '../data/resource-names.ts'
import { useAnswer } from '../data/use-answer.ts'
import { useKept } from '../data/use-kept.ts'
import { nothingText } from '../format/nothing-text.ts'
import { hasWords } from '../format/quota-filter.ts'
import { waitingText } from '../format/waiting-text.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { Amounts } from '../part/claim-list.tsx'
import { FilteredCount, FilterField } from '../part/filter-field.tsx'
import { FirstOf } from '../part/first-of.tsx'
import { CLAIM_KIND, ToExplanation, ToNamespace } from '../part/links.tsx'
import { MissingNote } from '../part/missing-note.tsx'
import { QueueList } from '../part/queue-list.tsx'
import { UseBar } from '../part/use-bar.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

const MOST_POOLS = 40
const MOST_NAMESPACES = 60

/** The pools, each with its namespaces and its queue. */
export function PoolsView() {
  const words = useKept('words of pools', '')
  const asked = useAnswer<PoolsAnswer>('/api/v1/pools', POOL_RESOURCES)
  return (
    <>
      <ViewHeading title="Pools" />
      <FilterField of="pools" words={words} names="pool or namespace" />
      <Answered asked={asked}>
        {({ rows, notSeen, isComplete }) => {
          const some = rows.filter((row) => isNamed(row, words.value))
          return (
            <>
              <MissingNote answer={{ notSeen }} rows="pools" />
              <MissingNote answer={{ isWhole: isComplete }} rows="namespaces" />
              {rows.length === 0 ? (
                <p class="quiet">{nothingText('No pool was found.', notSeen, POOLS)}</p>
              ) : (
                <FilteredCount shown={some.length} all={rows.length} one="pool" />
              )}
              <FirstOf rows={some} most={MOST_POOLS}>
                {(first) => first.map((row) => <Pool key={row.pool} row={row} />)}
              </FirstOf>
              <NotSeenNote notSeen={notSeen} />
            </>
          )
        }}
      </Answered>
    </>
  )
}

/** Is each of the words part of the name of the pool, or of a namespace of it? */
const isNamed = ({ pool, namespaces }: PoolAnswerRow, words: string): boolean =>
  hasWords([pool, ...namespaces.map(({ namespace }) => namespace)], words)

function Pool({ row: { pool, limits, claims, waiting, namespaces, queue, isWhole } }: { readonly row: PoolAnswerRow }) {
  return (
    <section class="pool" aria-label={`Pool ${pool}`}>
      <h2>{pool}</h2>
      <p class="quiet">
        {claims} {claims === 1 ? 'claim' : 'claims'} granted, {waiting} waiting
        {isWhole ? '' : ' in the namespaces that you may read'}
      </p>
      <ul class="lines">
        {limits.map((limit) => (
          <li key={limit.resource}>
            <div class="line amount">
              <span class="cell" title={limit.resource}>
                {limit.resource}
              </span>
              <UseBar row={limit} filled={limit} />
            </div>
          </li>
        ))}
      </ul>
      <QueueList rows={queue} heading={<h3>Queue</h3>} />
      {namespaces.length === 0 ? null : (
        <details open={namespaces.length <= 10}>
          <summary>
            {namespaces.length} {namespaces.length === 1 ? 'namespace' : 'namespaces'}
          </summary>
          <FirstOf rows={namespaces} most={MOST_NAMESPACES}>
            {(first) => (
              <ul class="cards">
                {first.map(({ namespace, claims }) => (
                  <li key={namespace}>
                    <p class="title">
                      <ToNamespace namespace={namespace} />
                    </p>
                    {claims.length === 0 ? <p class="quiet">no claim granted</p> : null}
                    {claims.map(({ name, amounts }) => (
                      <div key={name} class="claim">
                        <ToExplanation object={{ namespace, kind: CLAIM_KIND, name }}>{name}</ToExplanation>
                        <Amounts amounts={amounts} />
                      </div>
                    ))}
                    {queue
                      .filter((one) => one.namespace === namespace)
                      .map(({ name, reason }) => (
                        <div key={name} class="claim">
                          <ToExplanation object={{ namespace, kind: CLAIM_KIND, name }}>{name}</ToExplanation>
                          <p class="quiet">{waitingText(reason)}</p>
                        </div>
                      ))}
                  </li>
                ))}
              </ul>
            )}
          </FirstOf>
        </details>
      )}
    </section>
  )
}
