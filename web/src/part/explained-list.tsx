import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { ToExplanation } from './links.tsx'

type Explained = Pick<Explanation, 'summary' | 'causes'> & {
  readonly object: Pick<Explanation['object'], 'namespace' | 'kind' | 'name'>
}

/** Objects with the summaries and the causes that their explanations give. */
export function ExplainedList({ rows }: { readonly rows: readonly Explained[] }) {
  return (
    <ul class="cards">
      {rows.map(({ object, summary, causes }) => (
        <li key={`${object.kind}/${object.name}`}>
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
