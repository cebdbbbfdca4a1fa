import type { ComponentChildren } from 'preact'
import type { QueueRow } from '../../../src/insight/top/top.ts'
import { FirstOf } from './first-of.tsx'
import { ToExplanation, ToNamespace } from './links.tsx'

const MOST = 40
const KIND = 'ResourcePoolClaim'

/** Claims that wait, in the order of their queue. */
export function QueueList({
  rows,
  heading,
}: {
  readonly rows: readonly QueueRow[]
  readonly heading?: ComponentChildren
}) {
  if (rows.length === 0) return null
  return (
    <>
      {heading}
      <FirstOf rows={rows} most={MOST}>
        {(first) => (
          <ul class="cards">
            {first.map(({ position, namespace, name, reason, for: wanted }) => (
              <li key={`${namespace}/${name}`}>
                <p class="title">
                  <ToExplanation object={{ namespace, kind: KIND, name }} /> in <ToNamespace namespace={namespace} />
                </p>
                <p>
                  {position === undefined ? '' : `Place ${position}. `}
                  {reason}: {wanted}
                </p>
              </li>
            ))}
          </ul>
        )}
      </FirstOf>
    </>
  )
}
