import type { LedgerState, Lowering, NamespaceWait } from './ledger-state.ts'
import { loweringText } from './lowering.ts'

/** Stands before the text of a settling ledger, which no id of a reservation contains. */
const SETTLING = '%'
/** Stands before limits that are being lowered, likewise. */
const LOWERING = '<'
/** Stands before a round of a namespace that waits, likewise. */
const WAIT = '>'

/**
 * When this process first saw each reservation, by a clock of its own: clocks of two machines are never compared. The
 * reservation had been made by then.
 */
export class FirstSeenTimes {
  #times = new Map<string, number>()

  /** Takes in a ledger that was read or written at this time, and forgets what it does not hold any more. */
  note({ names, advances, waits, settling, lowering }: LedgerState, now: number): void {
    const times = new Map<string, number>()
    const note = (key: string): void => void times.set(key, this.#times.get(key) ?? now)
    for (const { reservations } of names.values()) for (const { id } of reservations) note(id)
    for (const { id } of advances.values()) note(id)
    for (const [namespace, wait] of waits) if (wait.rounds > 0) note(roundKey(namespace, wait))
    if (settling !== '') note(SETTLING + settling)
    if (lowering !== undefined) note(LOWERING + loweringText(lowering))
    this.#times = times
  }

  /** When the reservation with this id was first seen; undefined where it never was. */
  firstOf(id: string): number | undefined {
    return this.#times.get(id)
  }

  /** The ids that were first seen at this time or earlier. */
  idsUntil(time: number): ReadonlySet<string> {
    return new Set(this.#times.entries().flatMap(([key, first]) => (first <= time ? [key] : [])))
  }

  /** When the settling ledger was first seen; Infinity where it was not. */
  settlingSince(settling: string): number {
    return this.#times.get(SETTLING + settling) ?? Infinity
  }

  /** Were these limits first seen at this time or earlier? */
  isLoweringUntil(lowering: Lowering, time: number): boolean {
    return (this.#times.get(LOWERING + loweringText(lowering)) ?? Infinity) <= time
  }

  /** The namespaces of which the round that they wait for was first seen at this time or earlier. */
  waitedUntil({ waits }: LedgerState, time: number): ReadonlySet<string> {
    const isOver = (key: string): boolean => (this.#times.get(key) ?? Infinity) <= time
    return new Set(
      waits.entries().flatMap(([namespace, wait]) => (isOver(roundKey(namespace, wait)) ? [namespace] : [])),
    )
  }

  /** The earliest of all times; undefined where nothing is outstanding. */
  get earliest(): number | undefined {
    return this.#times.size === 0 ? undefined : Math.min(...this.#times.values())
  }
}

function roundKey(namespace: string, { strikes, rounds }: NamespaceWait): string {
  return `${WAIT}${strikes}/${rounds}/${namespace}`
}
