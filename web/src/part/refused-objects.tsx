import type { NotSeen, RefusalRow } from '../data/answer.ts'
import { EVENTS } from '../data/resource-names.ts'
import { nothingText } from '../format/nothing-text.ts'
import { FirstOf } from './first-of.tsx'
import { ToExplanation, ToNamespace } from './links.tsx'

const MOST = 20

/** The objects of refusals, each once. Whether one is still blocked is for its explanation to say. */
export function RefusedObjects({
  refusals,
  notSeen,
}: {
  readonly refusals: readonly RefusalRow[]
  readonly notSeen: readonly NotSeen[]
}) {
  const objects = [...new Map(refusals.map((one) => [`${one.namespace}/${one.kind}/${one.name}`, one])).values()]
  if (objects.length === 0) return <p class="quiet">{nothingText('No refused workload was found.', notSeen, EVENTS)}</p>
  return (
    <>
      <p class="quiet">The explanation of each says whether it is still blocked.</p>
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
    </>
  )
}
