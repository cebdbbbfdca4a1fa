import type { HistoryRow } from '../data/answer.ts'
import { drawnShares } from '../format/drawn-shares.ts'

const WIDTH = 120
const HEIGHT = 24

/** The use of a limit over time, from 0 to the limit. Its colour is that of what it stands in. */
export function Sparkline({ row: { samples } }: { readonly row: HistoryRow }) {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return <span class="quiet">no sample</span>
  const start = Date.parse(first.at)
  const length = Math.max(1, Date.parse(last.at) - start)
  const shares = drawnShares(samples)
  const points = samples.map(({ at }, index) => {
    const x = ((Date.parse(at) - start) / length) * WIDTH
    const y = HEIGHT * (1 - (shares[index] ?? 0))
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg class="sparkline" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} aria-hidden="true">
      <polyline
        points={points.length === 1 ? `${points[0] ?? ''} ${WIDTH},${points[0]?.split(',')[1] ?? 0}` : points.join(' ')}
      />
    </svg>
  )
}
