import type { PoolsAnswer, QuotasAnswer, RefusalsAnswer } from '../data/answer.ts'
import { POOL_RESOURCES, QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useViewer } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { BY_NAMESPACE, MissingNote } from '../part/missing-note.tsx'
import { NearestLimits } from '../part/nearest-limits.tsx'
import { QueueList } from '../part/queue-list.tsx'
import { RefusalList } from '../part/refusal-list.tsx'
import { ViewSection } from '../part/view-section.tsx'

/** The start page of a viewer who may list quotas of all namespaces, or has named none. */
export function OverviewOfAll() {
  const quotas = useAnswer<QuotasAnswer>('/api/v1/quotas', QUOTA_RESOURCES)
  const refusals = useAnswer<RefusalsAnswer>('/api/v1/refusals', ['events'])
  const pools = useAnswer<PoolsAnswer>('/api/v1/pools', POOL_RESOURCES)
  const { seesAll } = useViewer()
  return (
    <>
      {seesAll ? null : <p>You may not list the quotas of all namespaces. Enter a namespace that you may read.</p>}
      <ViewSection id="nearest" title="Nearest to the limit">
        <Answered asked={quotas}>
          {({ rows, notSeen }) => (
            <>
              <MissingNote answer={{ notSeen }} rows="quotas" hint={BY_NAMESPACE} />
              <NearestLimits rows={rows} notSeen={notSeen} />
              <NotSeenNote notSeen={notSeen} />
            </>
          )}
        </Answered>
      </ViewSection>
      <ViewSection id="refusals" title="Recent refusals">
        <Answered asked={refusals}>
          {({ rows, notSeen, isWhole }) => (
            <>
              <MissingNote answer={{ notSeen, isWhole }} rows="refusals" hint={BY_NAMESPACE} />
              <RefusalList rows={rows} notSeen={notSeen} />
              <NotSeenNote notSeen={notSeen} />
            </>
          )}
        </Answered>
      </ViewSection>
      <Answered asked={pools}>
        {({ rows, notSeen, isComplete }) => (
          <>
            <QueueList rows={rows.flatMap(({ queue }) => queue)} heading={<h2>Claims that wait</h2>} />
            <MissingNote answer={{ notSeen, isWhole: isComplete }} rows="claims that wait" hint={BY_NAMESPACE} />
            <NotSeenNote notSeen={notSeen} />
          </>
        )}
      </Answered>
    </>
  )
}
