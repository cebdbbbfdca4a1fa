import type { WebhookKeys } from './keys.ts'
import { READ_EVERY_MS } from '../../cluster/shared-key.ts'

/** A new key is known to all replicas after so long: several readings. */
export const SPREAD_MS = 3 * READ_EVERY_MS
/** An API server follows a written configuration within a second or two; one that has much to do needs longer. */
export const CHANGE_OVER_MS = 30_000
/** The longest life of a key. */
const LIFE_MS = 24 * 3_600_000

/** The next step of a change of keys. */
export type KeyStep =
  /** All replicas have to know a new key before API servers use it. */
  | 'announce'
  /** Every replica knows it: the configurations are to carry it. */
  | 'promote'
  /** Every API server goes by it: the former one opens nothing any more. */
  | 'retire'

export interface KeySituation {
  readonly keys: WebhookKeys
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Does this replica write the configurations? */
  readonly isLeading: boolean
  /** May somebody know the current key's paths who is not to? */
  readonly isSuspected: boolean
  /** For how many milliseconds this replica has known the next key. */
  readonly nextKnownMs: number
  /** For how many milliseconds the configurations carry the current key, as far as the replica that leads knows; 0 on others. */
  readonly writtenMs: number
}

/** Decides what a replica is to do about the keys now; undefined: nothing. */
export function nextKeyStep({
  keys,
  now,
  isLeading,
  isSuspected,
  nextKnownMs,
  writtenMs,
}: KeySituation): KeyStep | undefined {
  if (keys.next !== undefined) return isLeading && nextKnownMs >= SPREAD_MS ? 'promote' : undefined
  if (keys.previous !== undefined) return writtenMs >= CHANGE_OVER_MS ? 'retire' : undefined
  return isSuspected || now - keys.since >= LIFE_MS ? 'announce' : undefined
}

/** The keys after a step. `made`: a new one, for the step that needs it. */
export function afterKeyStep(step: KeyStep, keys: WebhookKeys, now: number, made: () => Buffer): WebhookKeys {
  const { current, since, next = made() } = keys
  if (step === 'announce') return { current, since, next }
  return step === 'promote' ? { current: next, since: now, previous: current } : { current, since }
}
