import type { JsonObject } from '../../machinery/object.ts'
import type { ObjectId } from '../explain/explanation.ts'

/** What a finding is about. */
export type Check =
  | 'usage'
  | 'ledger'
  | 'pool'
  | 'idle'
  | 'unmatched'
  | 'webhook'
  | 'certificate'
  | 'api'
  | 'permission'
  | 'controller'

/** A change that mends a finding. */
export interface Repair {
  /** What it does. */
  readonly text: string
  readonly object: ObjectId
  /** Empty: the object itself. */
  readonly subresource: string
  /** A JSON merge patch. */
  readonly patch: JsonObject
}

/** Something that is not as it should be. */
export interface Finding {
  readonly check: Check
  /**
   * `error`: requests are refused, allowed or counted wrongly. `warning`: somebody may mean something else. `note`: it may be meant as it is, and
   * nothing is wrong.
   */
  readonly severity: 'error' | 'warning' | 'note'
  readonly object: ObjectId
  /** The part of the object, such as a limit; empty for the whole. */
  readonly part: string
  readonly text: string
  readonly advice: string
  readonly repair?: Repair
  /** What the finding rests on, such as the amounts: while it changes, controllers are at work. */
  readonly evidence?: string
  /** May it pass by itself, because controllers are at work? Then it counts only if it stays. */
  readonly mayPass: boolean
}

/** Tells the same finding of two looks at a cluster. */
export const keyOf = ({ check, object: { kind, namespace, name }, part, evidence = '' }: Finding): string =>
  [check, kind, namespace, name, part, evidence].join('/')

/** A selector, or another part of an object, that matches nothing. */
export type UnmatchedPart = Pick<Finding, 'part' | 'text'>

/** Is anything wrong? */
export const isWrong = ({ severity }: Finding): boolean => severity !== 'note'
