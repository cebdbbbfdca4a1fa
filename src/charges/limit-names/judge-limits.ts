import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import { type IdleLimit, idleError, idleWarning } from './idle-limits.ts'

/** Limits by name, as a field of an object holds them. */
export interface NamedLimits {
  /** Such as `spec.hard`. */
  readonly path: string
  readonly names: readonly string[]
  /** The requirements of the scopes of the quota; left out: none. */
  readonly requirements?: readonly ScopeRequirement[]
  /** Is it only said of names that no object in these scopes is charged under? */
  readonly toleratesScopes?: boolean
}

/** Why limits are refused, and what is only said of others. */
export interface JudgedLimits {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/** Idle limits that limit nothing on this server are errors, and those that may come with a CRD warnings. */
export function judgeLimits({ path, toleratesScopes = false }: NamedLimits, idle: readonly IdleLimit[]): JudgedLimits {
  const isTolerated = ({ outlook, isOutOfScope }: IdleLimit): boolean =>
    outlook === 'notYet' || (isOutOfScope && toleratesScopes)
  return {
    errors: idle.filter((limit) => !isTolerated(limit)).map((limit) => idleError(path, limit)),
    warnings: idle.filter(isTolerated).map((limit) => idleWarning(path, limit)),
  }
}
