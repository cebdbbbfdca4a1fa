import type {
  MutatingWebhookConfiguration,
  RuleWithOperations,
  WebhookClientConfig,
} from '../../../builtin/admissionregistration-v1.ts'
import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import { compileLabelSelector } from '../../../machinery/selector/label.ts'
import { countOf, objectOf, objectsOf, textOf, textsOf } from '../../../machinery/read.ts'

type Labels = Readonly<Record<string, string>> | undefined

/** One rule of a webhook: which requests are sent to it. */
export interface HookRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  readonly scope: string
}

/** Where a webhook is reached. */
export type HookTarget =
  | { readonly url: string }
  | { readonly namespace: string; readonly name: string; readonly path: string; readonly port: number }

/** One webhook of a configuration, read once. */
export interface Hook {
  readonly name: string
  readonly configuration: string
  readonly target: HookTarget
  /** PEM; undefined: the system's authorities. */
  readonly ca: string | undefined
  readonly rules: readonly HookRule[]
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly matchPolicy: 'Exact' | 'Equivalent'
  readonly matchesNamespace: (labels: Labels) => boolean
  readonly matchesObject: (labels: Labels) => boolean
  readonly supportsDryRun: boolean
  readonly timeoutMs: number
  readonly reviewVersion: string | undefined
  readonly reinvoke: boolean
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[]
}

const DEFAULT_TIMEOUT_SECONDS = 10
const DEFAULT_PORT = 443
const SPOKEN = ['v1', 'v1beta1']

/** The webhooks of a MutatingWebhookConfiguration, or of a ValidatingWebhookConfiguration, which has fewer fields, in their order. */
export function hooksOf(configuration: MutatingWebhookConfiguration): readonly Hook[] {
  return objectsOf(configuration.webhooks).map((webhook) => {
    const client = objectOf(webhook.clientConfig)
    const bundle = textOf(client.caBundle)
    const versions = textsOf(webhook.admissionReviewVersions)
    return {
      name: textOf(webhook.name),
      configuration: configuration.metadata.name ?? '',
      target: targetOf(client),
      ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
      rules: objectsOf(webhook.rules).map(ruleOf),
      failurePolicy: webhook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
      matchPolicy: webhook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
      matchesNamespace: compileLabelSelector(labelSelectorOf(webhook.namespaceSelector) ?? {}),
      matchesObject: compileLabelSelector(labelSelectorOf(webhook.objectSelector) ?? {}),
      supportsDryRun: ['None', 'NoneOnDryRun'].includes(textOf(webhook.sideEffects)),
      timeoutMs: (countOf(webhook.timeoutSeconds) || DEFAULT_TIMEOUT_SECONDS) * 1000,
      reviewVersion: versions.find((version) => SPOKEN.includes(version)),
      reinvoke: webhook.reinvocationPolicy === 'IfNeeded',
      matchConditions: objectsOf(webhook.matchConditions).map((one) => ({
        name: textOf(one.name),
        expression: textOf(one.expression),
      })),
    }
  })
}

function targetOf(client: WebhookClientConfig): HookTarget {
  const url = textOf(client.url)
  if (url !== '') return { url }
  const service = objectOf(client.service)
  return {
    namespace: textOf(service.namespace),
    name: textOf(service.name),
    path: textOf(service.path) || '/',
    port: countOf(service.port) || DEFAULT_PORT,
  }
}

const ruleOf = (rule: RuleWithOperations): HookRule => ({
  operations: textsOf(rule.operations),
  groups: textsOf(rule.apiGroups),
  versions: textsOf(rule.apiVersions),
  resources: textsOf(rule.resources),
  scope: textOf(rule.scope) || '*',
})

/** The request that a rule is matched against. */
export interface RuleRequest {
  readonly operation: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespaced: boolean
}

/** Does one rule take the request? `pods` means the resource alone, `pods/*` its subresources, `*` every resource alone. */
export function isTakenBy(rule: HookRule, request: RuleRequest): boolean {
  const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value)
  if (
    !has(rule.operations, request.operation) ||
    !has(rule.groups, request.group) ||
    !has(rule.versions, request.version)
  )
    return false
  if (rule.scope === 'Cluster' ? request.namespaced : rule.scope === 'Namespaced' && !request.namespaced) return false
  return rule.resources.some((pattern) => {
    const [resource = '', subresource = ''] = pattern.split('/')
    const matches = (wanted: string, actual: string): boolean => wanted === '*' || wanted === actual
    if (pattern === '*') return request.subresource === ''
    return matches(resource, request.resource) && matches(subresource, request.subresource)
  })
}
