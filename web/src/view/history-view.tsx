import type { HistoryAnswer, HistoryRow } from '../data/answer.ts'
import { POOLS, QUOTA_RESOURCES } from '../data/resource-names.ts'
import { scopedPath } from '../data/scoped-path.ts'
import { useSession, useViewer } from '../data/session.ts'
import { NOT_FOUND, useAnswer } from '../data/use-answer.ts'
import { useKept } from '../data/use-kept.ts'
import { isClosedAtLast } from '../format/drawn-shares.ts'
import { exhaustionText } from '../format/exhaustion-text.ts'
import { filledAtLast, useOf } from '../format/use-of.ts'
import { nothingText } from '../format/nothing-text.ts'
import { matches } from '../format/quota-filter.ts'
import { momentText } from '../format/times.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { FilteredCount, FilterField } from '../part/filter-field.tsx'
import { FirstOf } from '../part/first-of.tsx'
import { HistoryChart } from '../part/history-chart.tsx'
import { ToNamespace, ToView } from '../part/links.tsx'
import { BY_NAMESPACE, MissingNote } from '../part/missing-note.tsx'
import { NamespaceChoice } from '../part/namespace-choice.tsx'
import { Sparkline } from '../part/sparkline.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

/** The history of the operator grows that often. */
const STEP_MS = 15_000
const MOST = 100
const HISTORY_RESOURCES = [...QUOTA_RESOURCES, ...POOLS]

/** Use over the last hours, by limit. */
export function HistoryView({ namespace }: { readonly namespace: string }) {
  const { scope } = useSession()
  const asked = namespace === '' ? scope.value : namespace
  const answer = useAnswer<HistoryAnswer>(scopedPath('/api/v1/history', asked), [], STEP_MS)
  return (
    <>
      <ViewHeading title={asked === '' ? 'History' : `History of ${asked}`} />
      {namespace === '' ? (
        <NamespaceChoice />
      ) : (
        <p>
          Namespace <ToNamespace namespace={namespace} /> ·{' '}
          <ToView to={{ view: 'history', namespace: '' }}>History of other namespaces</ToView>
        </p>
      )}
      {answer.code === NOT_FOUND ? (
        <p class="quiet">This allot keeps no history.</p>
      ) : (
        <Answered asked={answer}>{(value) => <Past answer={value} isOfAll={asked === ''} />}</Answered>
      )}
    </>
  )
}

interface PastProps {
  readonly answer: HistoryAnswer
  readonly isOfAll: boolean
}

function Past({ answer, isOfAll }: PastProps) {
  const { since, rows, notSeen } = answer
  const words = useKept('words of history', '')
  const chosen = useKept('chosen history', '')
  const some = rows.filter((row) => matches(row, words.value))
  // A limit of 0 mostly forbids on purpose, so that its history tells nothing.
  const shown =
    some.find((row) => keyOf(row) === chosen.value) ?? some.find(({ samples }) => !isClosedAtLast(samples)) ?? some[0]
  return (
    <>
      <MissingNote answer={answer} rows="limits" hint={isOfAll ? BY_NAMESPACE : ''} />
      <p class="quiet">
        {since === undefined
          ? 'Nothing is recorded yet.'
          : `Recorded since ${momentText(new Date(since), Date.now())}.`}
      </p>
      {rows.length === 0 ? (
        since === undefined ? null : (
          <p class="quiet">{nothingText('Nothing has been seen yet.', notSeen, HISTORY_RESOURCES)}</p>
        )
      ) : (
        <>
          <FilterField of="history" words={words} names="namespace, kind, name or resource" />
          <FilteredCount shown={some.length} all={rows.length} one="limit" />
        </>
      )}
      {shown === undefined ? null : <HistoryChart row={shown} />}
      <FirstOf rows={some} most={MOST}>
        {(first) => (
          <ul class="lines">
            {first.map((row) => (
              <li key={keyOf(row)}>
                <PastLine row={row} isShown={row === shown} onChoose={() => (chosen.value = keyOf(row))} />
              </li>
            ))}
          </ul>
        )}
      </FirstOf>
      <NotSeenNote notSeen={notSeen} />
    </>
  )
}

interface PastLineProps {
  readonly row: HistoryRow
  readonly isShown: boolean
  readonly onChoose: () => void
}

/** How full a limit is goes by its latest sample. */
function PastLine({ row, isShown, onChoose }: PastLineProps) {
  const { namespace, kind, name, resource, samples, exhaustedInSeconds = 0 } = row
  const { warnAt } = useViewer().settings
  const filled = filledAtLast(samples)
  const { level, state } = useOf(filled, warnAt)
  return (
    <div class={`line past ${level}`}>
      <button type="button" class="plain" aria-pressed={isShown} onClick={onChoose}>
        {namespace === undefined ? '' : `${namespace}: `}
        {kind} {name}, {resource}
      </button>
      <Sparkline row={row} />
      <span class="state">{state}</span>
      <span class="cell full-in">{exhaustionText({ fill: filled.fill, exhaustedInSeconds })}</span>
    </div>
  )
}

const keyOf = ({ namespace = '', kind, name, resource }: HistoryRow): string =>
  [namespace, kind, name, resource].join('/')
