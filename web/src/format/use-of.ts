import type { Fill, LimitRow } from '../../../src/insight/top/limit-row.ts'
import { rowsOf } from '../../../src/insight/top/limit-row.ts'
import { ifReadable } from '../../../src/quantity/error.ts'
import { parseResourceList } from '../../../src/quantity/resource-list.ts'

/** How near a usage is to its limit, for the eye and in words. */
export interface Use {
  /** `near` and `tight`: the first and the last percentage of warnings is reached. */
  readonly level: 'room' | 'near' | 'tight' | 'full' | 'over' | 'unknown'
  /** Of the bar, in percent. Only what leaves no room has all of it. */
  readonly width: number
  readonly words: string
  /** The percentage with the words. */
  readonly state: string
}

/** What tells how full a limit is: the part of a row that the server decides. */
export type Filled = Pick<LimitRow, 'fill' | 'percent'>

const WORDS: Readonly<Record<Fill, string>> = { room: '', full: 'full', over: 'over the limit', unknown: 'not counted' }
/** Of a bar that is not full. */
const WIDEST = 99

/** `warnAt`: the percentages at which usage is warned of, in ascending order. */
export function useOf({ fill, percent }: Filled, warnAt: readonly number[]): Use {
  const use = levelOf({ fill, percent: percent ?? 0 }, warnAt)
  const parts = [percent === undefined ? '' : `${percent} %`, use.words]
  return { ...use, state: parts.filter((one) => one !== '').join(' · ') }
}

function levelOf({ fill, percent }: Required<Filled>, warnAt: readonly number[]): Omit<Use, 'state'> {
  const words = WORDS[fill]
  if (fill === 'unknown') return { level: fill, width: 0, words }
  if (fill !== 'room') return { level: fill, width: 100, words }
  const reached = warnAt.findLast((one) => percent >= one)
  const isLast = warnAt.length > 1 && reached === warnAt.at(-1)
  return {
    level: reached === undefined ? 'room' : isLast ? 'tight' : 'near',
    width: Math.max(0, Math.min(WIDEST, percent)),
    words: reached === undefined ? '' : isLast ? 'almost full' : 'filling',
  }
}

/** How full a limit is of which only the amounts are given, as in an explanation. */
export function filledOf({ hard, used }: Pick<LimitRow, 'hard' | 'used'>): Filled {
  const [ranked] = ifReadable(
    () =>
      rowsOf(
        { namespace: '', kind: '', name: '' },
        parseResourceList({ it: hard }),
        parseResourceList(used === undefined ? {} : { it: used }),
      ),
    [],
  )
  return ranked?.row ?? { fill: 'unknown' }
}

/** How full a limit is at the latest sample of its history. */
export function filledAtLast(samples: readonly Pick<LimitRow, 'hard' | 'used'>[]): Filled {
  const last = samples.at(-1)
  return last === undefined ? { fill: 'unknown' } : filledOf(last)
}
