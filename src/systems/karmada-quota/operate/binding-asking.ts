import { RESOURCE_BINDINGS } from '../api/names.ts'
import { BINDING_WEBHOOK } from '../api/webhook-names.ts'
import type { OperatorHookRule } from '../../../operator/webhook/configuration.ts'
import type { QuotaAsking } from '../../counted/adapter.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

/** The path is that of Karmada's pull request 1056. */
const HOOK = { phase: 'validating', name: BINDING_WEBHOOK, path: '/validate-karmadaquota' } as const
const { group, version, resource } = RESOURCE_BINDINGS
const RULE: OperatorHookRule = {
  groups: [group],
  versions: [version],
  resources: [resource, `${resource}/scale`],
  operations: ['CREATE', 'UPDATE'],
  scope: 'Namespaced',
}

/** How API servers are asked for KarmadaQuotas: about the bindings of their namespaces. */
export const BINDING_ASKING: QuotaAsking<TrackedKarmadaQuota> = {
  plural: 'KarmadaQuotas',
  hookOf: (handle) => ({ ...HOOK, handle }),
  asked: (quotas) => [
    { key: resource, rules: [RULE], namespaces: new Set([...quotas].map(({ ref: { namespace } }) => namespace)) },
  ],
  askedFor: ({ ref: { namespace } }) => [[resource, new Set([namespace])]],
}
