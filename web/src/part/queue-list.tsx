import type { ComponentChildren } from 'preact'
import type { QueueRow } from '../../../src/insight/top/top.ts'
import { readableShortages } from '../format/readable-shortages.ts'
import { waitingText } from '../format/waiting-text.ts'
import { FirstOf } from './first-of.tsx'
import { CLAIM_KIND, ToExplanation, ToNamespace } from './links.tsx'

const MOST = 40

interface QueueListProps {
  readonly rows: readonly QueueRow[]
  readonly heading: ComponentChildren
}

/** Claims that wait, in the order of their queue; nothing where none does. */
export function QueueList({ rows, heading }: QueueListProps) {
  if (rows.length === 0) return null
  return (
    <>
      {heading}
      <FirstOf rows={rows} most={MOST}>
        {(first) => (
          <ul class="cards">
            {first.map(({ namespace, name, reason, for: wanted }) => (
              <li key={`${namespace}/${name}`}>
                <p class="title">
                  <ToExplanation object={{ namespace, kind: CLAIM_KIND, name }} /> in{' '}
                  <ToNamespace namespace={namespace} />
                </p>
                <p>
                  {waitingText(reason)}: {readableShortages(wanted)}
                </p>
              </li>
            ))}
          </ul>
        )}
      </FirstOf>
    </>
  )
}
