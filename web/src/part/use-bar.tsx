import type { LimitRow } from '../../../src/insight/top/limit-row.ts'
import { useSession } from '../data/session.ts'
import { readablePair } from '../format/readable-amount.ts'
import { type Filled, useOf } from '../format/use-of.ts'

type Amounts = Pick<LimitRow, 'resource' | 'used' | 'hard'>

/** A usage with its limit, as a bar and in words. The exact amounts are in its title. */
export function UseBar({ row, filled }: { readonly row: Amounts; readonly filled: Filled }) {
  const warnAt = useSession().viewer.value?.settings.warnAt ?? []
  const { level, width, state } = useOf(filled, warnAt)
  const [used, hard] = readablePair(row.used ?? '?', row.hard, row.resource)
  const exact = `exactly ${row.used ?? '?'} of ${row.hard}`
  return (
    <span class={`use ${level}`} title={exact}>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="10" />
        <rect class="fill" width={width} height="10" />
        {warnAt.map((at) => (
          <rect key={at} class="mark" x={at} width="0.6" height="10" />
        ))}
      </svg>
      <span class="amounts">
        {used} of {hard}
      </span>
      <span class="state">{state}</span>
    </span>
  )
}
