import type { NamespaceAnswer } from '../data/answer.ts'
import { useAnswer } from '../data/use-answer.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { BlockedList } from '../part/blocked-list.tsx'
import { ClaimList } from '../part/claim-list.tsx'
import { ToView } from '../part/links.tsx'
import { NearestLimits } from '../part/nearest-limits.tsx'
import { RefusalList } from '../part/refusal-list.tsx'

/** The start page of one namespace. */
export function OverviewOfOne({ namespace }: { readonly namespace: string }) {
  const asked = useAnswer<NamespaceAnswer>(`/api/v1/namespaces/${encodeURIComponent(namespace)}`)
  return (
    <Answered asked={asked.value}>
      {({ quotas, blocked, claims, refusals, notSeen }) => {
        const waiting = claims.filter(({ state }) => state === 'waiting')
        return (
          <>
            <p>
              <ToView to={{ view: 'namespace', namespace }}>All of {namespace}, and how to get more</ToView>
            </p>
            <section aria-labelledby="nearest">
              <h2 id="nearest">Nearest to the limit</h2>
              <NearestLimits rows={quotas} notSeen={notSeen} />
            </section>
            <section aria-labelledby="blocked">
              <h2 id="blocked">Blocked</h2>
              <BlockedList blocked={blocked} notSeen={notSeen} />
              {waiting.length === 0 ? null : (
                <>
                  <h3>Claims that wait</h3>
                  <ClaimList claims={waiting} notSeen={notSeen} />
                </>
              )}
            </section>
            <section aria-labelledby="refusals">
              <h2 id="refusals">Recent refusals</h2>
              <RefusalList rows={refusals} notSeen={notSeen} isOfOne />
            </section>
            <NotSeenNote notSeen={notSeen} />
          </>
        )
      }}
    </Answered>
  )
}
