import type { NamespaceAnswer } from '../data/answer.ts'
import { decidesOnWorkloads } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { ExplainedList } from './explained-list.tsx'

/** The workloads of a namespace that a quota blocks, and what could not be looked at. */
export function BlockedWorkloads({ answer }: { readonly answer: NamespaceAnswer }) {
  const { blocked, isWhole, unread, notSeen } = answer
  return (
    <>
      {blocked.length === 0 ? (
        <p class="quiet">{nothingText('No workload is blocked.', notSeen, decidesOnWorkloads)}</p>
      ) : (
        <ExplainedList rows={blocked} />
      )}
      {isWhole ? null : <p class="quiet">There may be more: not every workload was looked at.</p>}
      {unread.map((text) => (
        <p key={text} class="problem">
          {text}
        </p>
      ))}
    </>
  )
}
