import type { ResourceKind } from '../../kube/client/kube-client.ts'

export type HookPhase = 'mutating' | 'validating'

/** The kinds of webhook configurations, by the phase of admission that they are for. */
export const CONFIGURATION_KINDS: Readonly<Record<HookPhase, ResourceKind>> = {
  mutating: configurationKind('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  validating: configurationKind('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
}

function configurationKind(kind: string, resource: string): ResourceKind {
  return { group: 'admissionregistration.k8s.io', version: 'v1', resource, kind, namespaced: false }
}
