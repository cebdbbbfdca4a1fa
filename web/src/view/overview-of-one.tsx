import type { NamespaceAnswer } from '../data/answer.ts'
import { NOT_FOUND, useAnswer } from '../data/use-answer.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { BlockedWorkloads } from '../part/blocked-workloads.tsx'
import { ToView } from '../part/links.tsx'
import { NearestLimits } from '../part/nearest-limits.tsx'
import { MissingNote } from '../part/missing-note.tsx'
import { NoNamespace, NothingHere } from '../part/nothing-here.tsx'
import { RefusalList } from '../part/refusal-list.tsx'
import { ViewSection } from '../part/view-section.tsx'
import { WaitingClaims } from '../part/waiting-claims.tsx'

/** The start page of one namespace. */
export function OverviewOfOne({ namespace }: { readonly namespace: string }) {
  const asked = useAnswer<NamespaceAnswer>(`/api/v1/namespaces/${encodeURIComponent(namespace)}`)
  if (asked.code === NOT_FOUND)
    return (
      <>
        <Answered asked={asked}>{() => null}</Answered>
        <NoNamespace />
      </>
    )
  return (
    <Answered asked={asked}>
      {(answer) => (
        <>
          <MissingNote answer={{ notSeen: answer.notSeen }} rows="objects" />
          <NothingHere answer={answer} />
          <p>
            <ToView to={{ view: 'namespace', namespace }}>All of {namespace}, and how to get more</ToView>
          </p>
          <ViewSection id="nearest" title="Nearest to the limit">
            <NearestLimits rows={answer.quotas} notSeen={answer.notSeen} />
          </ViewSection>
          <ViewSection id="blocked" title="Blocked">
            <BlockedWorkloads answer={answer} />
            <WaitingClaims claims={answer.claims} />
          </ViewSection>
          <ViewSection id="refusals" title="Recent refusals">
            <RefusalList rows={answer.refusals} notSeen={answer.notSeen} isOfOne />
          </ViewSection>
          <NotSeenNote notSeen={answer.notSeen} />
        </>
      )}
    </Answered>
  )
}
