import type { RefusalRow } from '../data/answer.ts'
import { FirstOf } from './first-of.tsx'
import { ToExplanation, ToNamespace } from './links.tsx'

const MOST = 20

/** The objects of refusals, each once. Whether one is still blocked is for its explanation to say. */
export function BlockedObjects({ refusals }: { readonly refusals: readonly RefusalRow[] }) {
  const objects = [...new Map(refusals.map((one) => [`${one.namespace}/${one.kind}/${one.name}`, one])).values()]
  if (objects.length === 0) return <p class="quiet">No refused workload was found.</p>
  return (
    <FirstOf rows={objects} most={MOST}>
      {(first) => (
        <ul class="tags">
          {first.map((one) => (
            <li key={`${one.namespace}/${one.kind}/${one.name}`}>
              <ToExplanation object={one} /> in <ToNamespace namespace={one.namespace} />
            </li>
          ))}
        </ul>
      )}
    </FirstOf>
  )
}
