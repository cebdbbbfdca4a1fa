import type { PoolsAnswer, QuotasAnswer, RefusalsAnswer } from '../data/answer.ts'
import { POOL_RESOURCES, QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useViewer } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { RefusedObjects } from '../part/refused-objects.tsx'
import { NearestLimits } from '../part/nearest-limits.tsx'
import { QueueList } from '../part/queue-list.tsx'
import { RefusalList } from '../part/refusal-list.tsx'

/** The start page of a viewer who may list quotas of all namespaces, or has named none. */
export function OverviewOfAll() {
  const quotas = useAnswer<QuotasAnswer>('/api/v1/quotas', QUOTA_RESOURCES)
  const refusals = useAnswer<RefusalsAnswer>('/api/v1/refusals', ['events'])
  const pools = useAnswer<PoolsAnswer>('/api/v1/pools', POOL_RESOURCES)
  const { seesAll } = useViewer()
  return (
    <>
      {seesAll ? null : <p>You may not list the quotas of all namespaces. Enter a namespace that you may read.</p>}
      <section aria-labelledby="nearest">
        <h2 id="nearest">Nearest to the limit</h2>
        <Answered asked={quotas.value}>
          {({ rows, notSeen }) => (
            <>
              <NearestLimits rows={rows} notSeen={notSeen} />
              <NotSeenNote notSeen={notSeen} />
            </>
          )}
        </Answered>
      </section>
      <section aria-labelledby="refused">
        <h2 id="refused">Refused lately</h2>
        <Answered asked={refusals.value}>
          {({ rows, notSeen }) => <RefusedObjects refusals={rows} notSeen={notSeen} />}
        </Answered>
      </section>
      <Answered asked={pools.value}>
        {({ rows }) => <QueueList rows={rows.flatMap(({ queue }) => queue)} heading={<h2>Claims that wait</h2>} />}
      </Answered>
      <section aria-labelledby="refusals">
        <h2 id="refusals">Recent refusals</h2>
        <Answered asked={refusals.value}>
          {({ rows, notSeen }) => (
            <>
              <RefusalList rows={rows} notSeen={notSeen} />
              <NotSeenNote notSeen={notSeen} />
            </>
          )}
        </Answered>
      </section>
    </>
  )
}
