import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { ToExplanation } from './links.tsx'

/** What a quota blocks, with the reasons that its explanation gives. */
export function BlockedList({ blocked }: { readonly blocked: readonly Explanation[] }) {
  if (blocked.length === 0) return <p class="quiet">No workload is blocked.</p>
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
