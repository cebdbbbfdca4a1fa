import type { KarmadaQuota } from '../api/karmada-quota.ts'
import { validateResourceQuotaSpec } from '../../../kinds/resource-quota/validate.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { requirementsOf } from './costs.ts'
import { trackedResource } from './tracked-resource.ts'

/** The one scope of KarmadaQuotas. */
const SCOPE = 'PriorityClass'
const UNTRACKED =
  'must be cpu, memory, ephemeral-storage or hugepages-<size> (also with the prefix requests.), pods, services, secrets, count/<resource>[.<group>] or a fully qualified name: a ResourceBinding says nothing else'

/**
 * The errors in a KarmadaQuota: those of the spec of a ResourceQuota, and limits and scopes that ResourceBindings give no account of. They
 * would never be enforced. Amounts that cannot be read are errors too.
 */
export function validateKarmadaQuota({ spec }: Pick<KarmadaQuota, 'spec'>): readonly FieldError[] {
  const hard = Object.fromEntries(Object.entries(spec.hard ?? {}).map(([name, amount]) => [name, String(amount)]))
  const { scopes, scopeSelector } = spec
  const errors = validateResourceQuotaSpec({ hard, ...(scopes && { scopes }), ...(scopeSelector && { scopeSelector }) })
  const known = new Set(errors.map(({ path }) => path))
  const untracked = Object.keys(hard)
    .toSorted()
    .filter((name) => trackedResource(name) === undefined && !known.has(`spec.hard[${name}]`))
    .map((name) => invalid(`spec.hard[${name}]`, name, UNTRACKED))
  const unknown = requirementsOf(spec)
    .filter(({ scopeName }) => scopeName !== SCOPE)
    .map(({ scopeName }) => scopeName)
  const path = scopes?.some((scope) => scope !== SCOPE) === true ? 'spec.scopes' : 'spec.scopeSelector'
  return [
    ...errors,
    ...untracked,
    ...(unknown.length === 0
      ? []
      : [invalid(path, unknown, `unsupported scope: only ${SCOPE} is known of ResourceBindings`)]),
  ]
}
