import type { JsonObject, KubeObject } from '../machinery/object.ts'
import type { ResourceKind } from '../kube/kube-client.ts'

export type HookPhase = 'mutating' | 'validating'

/** One webhook that the operator answers. */
export interface Hook {
  readonly phase: HookPhase
  /** Refusals name it, so it is as the program that is replaced has it. */
  readonly name: string
  readonly path: string
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[]
  readonly group: string
  readonly resource: string
  /** Left out: the resource itself. */
  readonly subresource?: string
  /** Only objects with these labels, before or after the change; left out: all. */
  readonly labels?: Readonly<Record<string, string>>
  /** Only objects that have labels of these names, whatever their values. */
  readonly labelled?: readonly string[]
  /** Only requests for which all of these hold. */
  readonly conditions?: readonly HookCondition[] | undefined
  /** What there is instead on a server that does not know conditions, as far as it differs; left out: nothing. */
  readonly withoutConditions?: readonly Partial<
    Pick<Hook, 'name' | 'path' | 'operations' | 'failurePolicy' | 'configuration'>
  >[]
  /** The configuration that it stands in; left out: the first. Two webhooks of one name cannot stand in the same. */
  readonly configuration?: ConfigurationName
  /** What happens while nobody answers; left out: the request is refused. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
}

/** A CEL expression on a request (`matchConditions`). */
export interface HookCondition {
  readonly name: string
  readonly expression: string
}

/** Where API servers reach the admission server. */
export type HookAddress =
  | { readonly url: string }
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }

/** All that there may be of each phase; what a server does not need there stays empty or is not made. */
export const CONFIGURATION_NAMES = ['allot', 'allot-deletions'] as const
export type ConfigurationName = (typeof CONFIGURATION_NAMES)[number]
/** As the program that is replaced waits; reviews take milliseconds. */
const TIMEOUT_SECONDS = 30

export const CONFIGURATION_KINDS: Readonly<Record<HookPhase, ResourceKind>> = {
  mutating: configurationKind('MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'),
  validating: configurationKind('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'),
}

function configurationKind(kind: string, resource: string): ResourceKind {
  return { group: 'admissionregistration.k8s.io', version: 'v1', resource, kind, namespaced: false }
}

/**
 * A configuration of one phase as it is to stand on the API server (reference capsule.md section 3: rules, names,
 * failure policy and timeout). `caBundle` is PEM.
 */
export function webhookConfiguration(
  phase: HookPhase,
  hooks: readonly Hook[],
  address: HookAddress,
  caBundle: string,
  name: ConfigurationName = CONFIGURATION_NAMES[0],
): KubeObject & { readonly webhooks: readonly JsonObject[] } {
  const { kind } = CONFIGURATION_KINDS[phase]
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'allot' } },
    webhooks: hooks
      .filter((hook) => hook.phase === phase && (hook.configuration ?? CONFIGURATION_NAMES[0]) === name)
      .map((hook) => webhook(hook, address, caBundle)),
  }
}

/** The webhooks as a server can have them that knows conditions of webhooks, or does not. */
export function hooksFor<H extends Hook>(hooks: readonly H[], knowsConditions: boolean): readonly H[] {
  if (knowsConditions) return hooks
  return hooks.flatMap((hook) => {
    if (hook.conditions === undefined) return [hook]
    return (hook.withoutConditions ?? []).map((other) => ({ ...hook, conditions: undefined, ...other }))
  })
}

function webhook(hook: Hook, address: HookAddress, caBundle: string): JsonObject {
  const { name, path, operations, group, subresource, conditions, failurePolicy = 'Fail' } = hook
  const resource = subresource === undefined ? hook.resource : `${hook.resource}/${subresource}`
  return {
    name,
    clientConfig: { ...reached(address, path), caBundle: Buffer.from(caBundle).toString('base64') },
    rules: [{ apiGroups: [group], apiVersions: ['*'], resources: [resource], operations, scope: '*' }],
    ...selector(hook),
    ...(conditions === undefined
      ? {}
      : { matchConditions: conditions.map(({ name: of, expression }) => ({ name: of, expression })) }),
    failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...(hook.phase === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
  }
}

function selector({ labels, labelled }: Hook): JsonObject {
  if (labels === undefined && labelled === undefined) return {}
  const matchExpressions = labelled?.map((key) => ({ key, operator: 'Exists' }))
  return {
    objectSelector: {
      ...(labels === undefined ? {} : { matchLabels: labels }),
      ...(matchExpressions === undefined ? {} : { matchExpressions }),
    },
  }
}

function reached(address: HookAddress, path: string): JsonObject {
  if ('url' in address) return { url: `${address.url.replace(/\/+$/, '')}${path}` }
  const { namespace, name, port } = address.service
  return { service: { namespace, name, port, path } }
}
