import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import type { NotSeen } from '../data/answer.ts'
import { decidesOnWorkloads } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { ToExplanation } from './links.tsx'

/** What a quota blocks, with the reasons that its explanation gives. */
export function BlockedList({
  blocked,
  notSeen,
}: {
  readonly blocked: readonly Explanation[]
  readonly notSeen: readonly NotSeen[]
}) {
  if (blocked.length === 0)
    return <p class="quiet">{nothingText('No workload is blocked.', notSeen, decidesOnWorkloads)}</p>
  return (
    <ul class="cards">
      {blocked.map(({ object, summary, causes }) => (
        <li key={`${object.apiVersion}/${object.kind}/${object.name}`}>
          <p class="title">
            <ToExplanation object={object} />
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
  )
}
