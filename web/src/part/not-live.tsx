import { useSession } from '../data/session.ts'
import { timeText } from '../format/times.ts'

/** Why the page hears of no change, when that is tried again, and how to see what has changed all the same. */
export function NotLive() {
  const { live, viewer } = useSession()
  const state = live.state.value
  if (viewer.value === undefined || state.is !== 'not live') return null
  return (
    <div class="not-live">
      <span role="status">Changes are not shown by themselves. {state.why}</span>
      {state.again === undefined ? null : <span>Next try: {timeText(state.again)}.</span>}
      <button type="button" onClick={() => live.changed()}>
        Load again
      </button>
    </div>
  )
}
