import { useSignal } from '@preact/signals'
import type { HistoryAnswer, HistoryRow } from '../data/answer.ts'
import { POOLS, QUOTA_RESOURCES } from '../data/resource-names.ts'
import { useSession } from '../data/session.ts'
import { useAnswer } from '../data/use-answer.ts'
import { exhaustionText } from '../format/exhaustion-text.ts'
import { filledOf } from '../format/use-of.ts'
import { nothingText } from '../format/nothing-text.ts'
import { Answered, NotSeenNote } from '../part/answered.tsx'
import { FirstOf } from '../part/first-of.tsx'
import { HistoryChart } from '../part/history-chart.tsx'
import { Sparkline } from '../part/sparkline.tsx'
import { ViewHeading } from '../part/view-heading.tsx'

const NOT_FOUND = 404
const MOST = 100
const HISTORY_RESOURCES = [...QUOTA_RESOURCES, ...POOLS]

/** Use over the last hours, by limit. */
export function HistoryView({ namespace }: { readonly namespace: string }) {
  const session = useSession()
  const asked = namespace === '' ? session.scope.value : namespace
  const path = asked === '' ? '/api/v1/history' : `/api/v1/history?namespace=${encodeURIComponent(asked)}`
  const answer = useAnswer<HistoryAnswer>(path)
  const chosen = useSignal('')
  return (
    <>
      <ViewHeading title={asked === '' ? 'History' : `History of ${asked}`} />
      {answer.value.code === NOT_FOUND ? (
        <p class="quiet">This allot keeps no history.</p>
      ) : (
        <Answered asked={answer.value}>
          {({ since, rows, notSeen }) => {
            const shown = rows.find((row) => keyOf(row) === chosen.value) ?? rows[0]
            return (
              <>
                {since === undefined ? (
                  <p class="quiet">Nothing is recorded yet.</p>
                ) : (
                  <p class="quiet">Since {new Date(since).toLocaleString()}</p>
                )}
                {shown === undefined ? null : <HistoryChart row={shown} />}
                {shown === undefined && since !== undefined ? (
                  <p class="quiet">{nothingText('Nothing has been seen yet.', notSeen, HISTORY_RESOURCES)}</p>
                ) : null}
                <FirstOf rows={rows} most={MOST}>
                  {(first) => (
                    <ul class="lines">
                      {first.map((row) => (
                        <li key={keyOf(row)}>
                          <div class="line past">
                            <button
                              type="button"
                              class="plain"
                              aria-pressed={row === shown}
                              onClick={() => (chosen.value = keyOf(row))}
                            >
                              {row.namespace === undefined ? '' : `${row.namespace}: `}
                              {row.kind} {row.name}, {row.resource}
                            </button>
                            <Sparkline row={row} />
                            <span class="cell full-in">{fullIn(row)}</span>
                          </div>
                        </li>
                      ))}
                    </ul>
                  )}
                </FirstOf>
                <NotSeenNote notSeen={notSeen} />
              </>
            )
          }}
        </Answered>
      )}
    </>
  )
}

/** By the latest sample: only what has room will be full. */
function fullIn({ samples, exhaustedInSeconds = 0 }: HistoryRow): string {
  const last = samples.at(-1)
  const text = last === undefined ? '' : exhaustionText({ fill: filledOf(last).fill, exhaustedInSeconds })
  return text === '' ? '' : `full ${text}`
}

const keyOf = ({ namespace = '', kind, name, resource }: HistoryRow): string =>
  [namespace, kind, name, resource].join('/')
