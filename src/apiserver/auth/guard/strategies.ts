import type { FieldError } from '../../../machinery/field-error.ts'
import type { WriteReview } from '../../storing/review.ts'
import { guardAdminAccess, guardClaimStatus } from './device.ts'
import type { GuardedWorld } from './guarded-world.ts'
import { guardParameterKind, guardParameterReference } from './policy.ts'

/** Says which fields the sender of a write may not write, or not here. */
export type StrategyGuard = (world: GuardedWorld, review: WriteReview) => readonly FieldError[]

interface Entry {
  readonly ask: StrategyGuard
  /** Is it asked even about invalid objects, and reported first? The others are asked about valid objects only. */
  readonly first?: true
}

const POLICIES = 'admissionregistration.k8s.io'

/**
 * Writes that need more than the verb on the resource, by resource and subresource. Upstream's strategies ask an
 * authorizer or look at the namespace for them, and answer with an invalid field. The guards of roles and certificates
 * hold those of admission.
 */
const GUARDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['resourceclaims.resource.k8s.io', { ask: guardAdminAccess, first: true }],
  ['resourceclaimtemplates.resource.k8s.io', { ask: guardAdminAccess, first: true }],
  ['resourceclaims.resource.k8s.io/status', { ask: guardClaimStatus, first: true }],
  [`validatingadmissionpolicies.${POLICIES}`, { ask: guardParameterKind }],
  [`mutatingadmissionpolicies.${POLICIES}`, { ask: guardParameterKind }],
  [`validatingadmissionpolicybindings.${POLICIES}`, { ask: guardParameterReference }],
  [`mutatingadmissionpolicybindings.${POLICIES}`, { ask: guardParameterReference }],
])

/**
 * The resources and subresources whose writes are guarded.
 *
 * @public for the sweep over all guards
 */
export const guardedWrites: readonly string[] = [...GUARDS.keys()]

/** Asks the guard of a write, where there is one. */
export class StrategyGuards {
  readonly #world: GuardedWorld

  constructor(world: GuardedWorld) {
    this.#world = world
  }

  /** All that is wrong with a write: what is wrong with the object itself, and what its sender may not write. */
  errors(review: WriteReview, others: readonly FieldError[]): readonly FieldError[] {
    const { resource, subresource } = review
    const guard = GUARDS.get(subresource === '' ? resource.bucket : `${resource.bucket}/${subresource}`)
    if (guard === undefined) return others
    if (guard.first === true) return [...guard.ask(this.#world, review), ...others]
    return others.length > 0 ? others : guard.ask(this.#world, review)
  }
}
