import type { NamespaceAnswer } from '../data/answer.ts'
import { nothingBlockedText } from '../format/nothing-blocked-text.ts'
import { ExplainedList } from './explained-list.tsx'

/** The workloads of a namespace that a quota blocks, and what could not be looked at. */
export function BlockedWorkloads({ answer }: { readonly answer: NamespaceAnswer }) {
  const { blocked, isWhole, unread, notSeen } = answer
  return (
    <>
      {blocked.length === 0 ? <p class="quiet">{nothingBlockedText(notSeen)}</p> : <ExplainedList rows={blocked} />}
      {isWhole ? null : <p class="quiet">There may be more: not every workload was looked at.</p>}
      {unread.map((text) => (
        <p key={text} class="problem">
          {text}
        </p>
      ))}
    </>
  )
}
