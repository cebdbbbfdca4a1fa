import type { LedgerRoom } from './ledger-room.ts'
import { LedgerModel, type Protocol } from './ledger-model.ts'
import { Violation } from './model-checks.ts'
import type { ModelState, ReplicaState, World } from './model-world.ts'

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
  const keyOf = stateKeys()
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

/** A state shares most of its parts with the one before it, so the text of each part is made once. Objects and revision follow from the events. */
function stateKeys(): (state: ModelState) => string {
  const numbers = new Map<string, number>()
  const known = new WeakMap<object, number>()
  const number = <Part extends object>(part: Part, textOf: (part: Part) => string = JSON.stringify): number => {
    const found = known.get(part)
    if (found !== undefined) return found
    const text = textOf(part)
    const made = numbers.get(text) ?? numbers.size
    numbers.set(text, made)
    known.set(part, made)
    return made
  }
  const all = (parts: readonly object[]): string => parts.map((part) => number(part)).join()
  const replicaText = ({ listed, seen, generation, widenedAt, starts, ledgers, ahead, due, released }: ReplicaState) =>
    [listed, seen, generation, widenedAt, starts, all(ledgers), all(ahead), due, released].join('|')
  return ({ events, ledgers, requests, replicas, generation, failures, lostAnswers, crashes, ticks, debts }) => {
    const seen = replicas.map((replica) => number(replica, replicaText))
    const counts = [generation, failures, lostAnswers, crashes, ticks, debts]
    return [counts, number(events), all(ledgers), all(requests), seen].join('|')
  }
}
