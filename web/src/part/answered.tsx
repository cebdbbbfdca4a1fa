import type { ComponentChildren } from 'preact'
import type { NotSeen } from '../data/answer.ts'
import type { Asked } from '../data/use-answer.ts'
import { isRefused } from '../format/missing-texts.ts'
import { timeText } from '../format/times.ts'

interface AnsweredProps<T> {
  readonly asked: Asked<T>
  readonly children: (value: T) => ComponentChildren
}

/** Shows an answer, the latest that there is, and what is wrong where the last question failed. */
export function Answered<T>({ asked: { value, problem, isOf, isRetried }, children }: AnsweredProps<T>) {
  return (
    <>
      {problem === undefined ? null : (
        <p class="problem" role="alert">
          {value === undefined ? problem : `This is not up to date: ${problem}`}
          {isRetried === true ? ' The page tries again by itself.' : ''}
        </p>
      )}
      {isOf === undefined ? null : <p class="quiet">This is of {timeText(isOf)}. Loading a newer answer …</p>}
      {value === undefined ? problem === undefined ? <p class="quiet">Loading …</p> : null : children(value)}
    </>
  )
}

/** What the viewer may not list, so that nothing is said of it. What else is missing stands above the list, in `MissingNote`. */
export function NotSeenNote({ notSeen }: { readonly notSeen: readonly NotSeen[] }) {
  const refused = notSeen.filter(isRefused)
  if (refused.length === 0) return null
  return (
    <details class="quiet">
      <summary>
        Not seen: {refused.length} {refused.length === 1 ? 'kind' : 'kinds'}
      </summary>
      <ul>
        {refused.map(({ resource, reason }) => (
          <li key={resource}>
            {resource}: {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}
