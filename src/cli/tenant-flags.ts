import { type Command, InvalidArgumentError, Option } from 'commander'
import type { TenantValue } from '../install/rbac/kind-access.ts'
import type { TenantsMayCreate } from '../install/rbac/persona-roles.ts'

/** The kinds that tenants may be allowed to create, by their names in the flag. */
const KINDS: ReadonlyMap<string, TenantValue> = new Map([
  ['claims', 'claims'],
  ['increases', 'increases'],
  ['custom-quotas', 'customQuotas'],
])

export interface TenantFlags {
  readonly tenantsMayCreate: TenantsMayCreate
}

/** Adds the flag that says what tenants may create. */
export function withTenantFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--tenants-may-create <kinds>',
      `kinds that Kubernetes' roles edit and admin may write: ${[...KINDS.keys()].join(', ')}; empty: nothing`,
    )
      .argParser(tenantKinds)
      .default(tenantKinds('claims'), 'claims'),
  )
}

/** Kinds separated by commas. Throws InvalidArgumentError. */
function tenantKinds(text: string): TenantsMayCreate {
  const named = text.split(',').map((part) => part.trim())
  const values = new Set(text.trim() === '' ? [] : named.map(valueOf))
  return {
    claims: values.has('claims'),
    increases: values.has('increases'),
    customQuotas: values.has('customQuotas'),
  }
}

function valueOf(name: string): TenantValue {
  const value = KINDS.get(name)
  if (value === undefined)
    throw new InvalidArgumentError(`It must be kinds separated by commas, or empty: ${[...KINDS.keys()].join(', ')}.`)
  return value
}
