import { Quantity } from '../../quantity/quantity.ts'
import type { QuantityTexts, ResourceQuota } from './resource-quota.ts'

/** The names to compare with `limits.<name>`, in the order of the warnings: the first of them that the quota has counts. */
const REQUEST_NAMES: readonly (readonly [string, readonly string[]])[] = [
  ['cpu', ['requests.cpu', 'cpu']],
  ['memory', ['requests.memory', 'memory']],
  ['storage', ['requests.storage']],
  ['ephemeral-storage', ['requests.ephemeral-storage']],
]

/**
 * Warnings for the creator of a quota, as they stand in the `Warning` header: requests that are larger than the limits beside
 * them (upstream's strategy for resourcequotas). An update gives none.
 */
export function resourceQuotaWarnings(quota: ResourceQuota): string[] {
  const hard = quota.spec?.hard ?? {}
  return REQUEST_NAMES.flatMap(([name, candidates]) => {
    const requestName = candidates.find((candidate) => hard[candidate] !== undefined)
    const limitName = `limits.${name}`
    if (requestName === undefined || hard[limitName] === undefined) return []
    const request = amount(hard, requestName)
    const limit = amount(hard, limitName)
    if (request.cmp(limit) <= 0) return []
    return [
      `ResourceQuota ${requestName} (${request.toString()}) should be less than ${limitName} (${limit.toString()})`,
    ]
  })
}

function amount(hard: QuantityTexts, name: string): Quantity {
  return Quantity.fromJson(hard[name] ?? null)
}
