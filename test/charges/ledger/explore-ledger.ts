import type { LedgerRoom } from './ledger-room.ts'
import { LedgerModel, type Protocol } from './ledger-model.ts'
import { Violation } from './model-checks.ts'
import type { ModelState, World } from './model-world.ts'

export interface Exploration {
  readonly states: number
  readonly steps: number
  /** The first failure, and the steps that lead to it; undefined where none is possible. */
  readonly violation: string | undefined
}

/** Follows everything that can happen in a world to the end: every state once. */
export function exploreLedger(world: World, room: LedgerRoom, protocol?: Protocol, most = Infinity): Exploration {
  const model = new LedgerModel(world, room, protocol)
  const first = model.initial()
  const seen = new Map<string, Origin | undefined>([[keyOf(first), undefined]])
  const open: { readonly key: string; readonly state: ModelState }[] = [{ key: keyOf(first), state: first }]
  let steps = 0
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    if (seen.size > most) throw new Error(`${world.title} has more than ${most} states`)
    try {
      model.checkQuiet(current.state)
      for (const { name, state } of model.steps(current.state)) {
        steps++
        const key = keyOf(state)
        if (seen.has(key)) continue
        seen.set(key, { from: current.key, name })
        open.push({ key, state })
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      return { states: seen.size, steps, violation: `${error.message}, after: ${pathTo(current.key, seen).join('; ')}` }
    }
  }
  return { states: seen.size, steps, violation: undefined }
}

interface Origin {
  readonly from: string
  readonly name: string
}

function pathTo(key: string, seen: ReadonlyMap<string, Origin | undefined>): readonly string[] {
  const names: string[] = []
  for (let origin = seen.get(key); origin !== undefined; origin = seen.get(origin.from)) names.unshift(origin.name)
  return names
}

/** Objects and revision follow from the events. */
const keyOf = (state: ModelState): string => JSON.stringify({ ...state, objects: undefined, revision: undefined })
