import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { LabelSelector } from '../../machinery/selector/label.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import { CONFIGURATION_KINDS, type HookPhase } from '../cluster/configuration-kinds.ts'

/** Requests that a webhook is asked about. */
export interface OperatorHookRule {
  readonly groups: readonly string[]
  /** Left out: all. `matchPolicy` makes no version escape whichever are named. */
  readonly versions?: readonly string[]
  /** Resources and subresources, such as `pods` and `pods/status`. */
  readonly resources: readonly string[]
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[]
  /** Left out: both. */
  readonly scope?: 'Cluster' | 'Namespaced'
}

/**
 * The namespaces that something is asked about: each by its name, or those that a selector matches, as JSON; `EVERYWHERE` stands for all
 * and for what is in none.
 */
export type AskedNamespaces = ReadonlySet<string>
export const EVERYWHERE = '*'

/** Requests about one resource in one version, in some namespaces. An API server asks about each of them once. */
export interface AskedResource {
  /** Distinguishes it from all others of the webhook. */
  readonly key: string
  readonly rules: readonly OperatorHookRule[]
  readonly namespaces: AskedNamespaces
}

/** One webhook that the operator answers. */
export interface OperatorHook {
  readonly phase: HookPhase
  /** Refusals name it, so it is as the program that is replaced has it. */
  readonly name: string
  readonly path: string
  readonly rules: readonly OperatorHookRule[]
  /** Only objects that it selects, before or after the change; left out: all. */
  readonly objectSelector?: LabelSelector
  /** Only objects in namespaces that it selects; left out: all. */
  readonly namespaceSelector?: LabelSelector
  /** Further rules, each for namespaces of its own. They stand in as many webhooks as that takes. */
  readonly asked?: readonly AskedResource[]
  /** Namespaces that `asked` does not mean where it names them neither by their names nor by their labels. */
  readonly exempt?: ReadonlySet<string>
  /** Only requests for which all of these hold. */
  readonly conditions?: readonly HookCondition[] | undefined
  /** The replacements on a server that does not know conditions, as far as they differ; by default none. */
  readonly withoutConditions?: readonly Partial<
    Pick<OperatorHook, 'name' | 'path' | 'rules' | 'failurePolicy' | 'configuration'>
  >[]
  /** The configuration that it stands in; left out: the first. Two webhooks of one name cannot stand in the same. */
  readonly configuration?: ConfigurationName
  /** The effect on requests while the webhook does not answer; by default they are refused. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  /** Whether a review that is no dry run has side effects. Default: no. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun'
  /** How long API servers wait for an answer; left out: as long as they do by default. */
  readonly timeoutSeconds?: number
}

/** A CEL expression on a request (`matchConditions`). */
export interface HookCondition {
  readonly name: string
  readonly expression: string
}

/**
 * Returns the condition that excludes requests of the operator, for webhooks that allow the operator everything. `own`:
 * the name by which the API server knows the operator. No condition while it is unknown.
 */
export const notByOperator = (own: string | undefined): readonly HookCondition[] =>
  own === undefined
    ? []
    : [{ name: 'not-the-operator', expression: `request.userInfo.username != ${JSON.stringify(own)}` }]

/** Where API servers reach the admission server. */
export type HookAddress =
  | { readonly url: string }
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }

export type ConfigurationName = (typeof CONFIGURATION_NAMES)[number]
/** As API servers wait by default; reviews take milliseconds. */
export const TIMEOUT_SECONDS = 10

/**
 * A configuration of one phase as it is to stand on the API server (rules, names
 * and failure policy as Capsule renders them). `caBundle` is PEM.
 */
export function webhookConfiguration(
  phase: HookPhase,
  hooks: readonly OperatorHook[],
  address: HookAddress,
  caBundle: string,
  name: ConfigurationName = CONFIGURATION_NAMES[0],
): KubeObject & { readonly webhooks: readonly JsonObject[] } {
  const { kind } = CONFIGURATION_KINDS[phase]
  const ca = Buffer.from(caBundle).toString('base64')
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'allot' } },
    webhooks: hooks
      .filter((hook) => isIn(hook, phase, name))
      .map((hook) => ({ ...webhook(hook), clientConfig: { ...reached(address, hook.path), caBundle: ca } })),
  }
}

/** Do the webhooks of a stored configuration lead to an address? True where there are none. */
export function leadsTo(configuration: KubeObject, address: HookAddress): boolean {
  const { webhooks } = configuration
  const configs = (Array.isArray(webhooks) ? webhooks.filter(isObject) : []).map((one) => one['clientConfig'])
  const isThere = (config: unknown): boolean => {
    if (!isObject(config)) return false
    if ('url' in address) return String(config['url']).startsWith(`${trimmed(address.url)}/`)
    const { service } = config
    return isObject(service) && Object.entries(address.service).every(([name, value]) => service[name] === value)
  }
  return configs.length === 0 || configs.some(isThere)
}

/** The webhooks of all configurations without their addresses, which identifies a set of rules. */
export const webhooksOf = (hooks: readonly OperatorHook[]): readonly JsonObject[] =>
  hooks.map((hook) => ({ ...webhook(hook), path: hook.path, phase: hook.phase, in: configurationOf(hook) }))

const configurationOf = (hook: OperatorHook): ConfigurationName => hook.configuration ?? CONFIGURATION_NAMES[0]

const isIn = (hook: OperatorHook, phase: HookPhase, name: ConfigurationName): boolean =>
  hook.phase === phase && configurationOf(hook) === name

function webhook(hook: OperatorHook): JsonObject {
  const {
    name,
    rules,
    conditions,
    objectSelector,
    namespaceSelector,
    failurePolicy = 'Fail',
    sideEffects = 'None',
    timeoutSeconds = TIMEOUT_SECONDS,
  } = hook
  return {
    name,
    rules: rules.map(({ groups, versions = ['*'], resources, operations, scope = '*' }) => ({
      apiGroups: groups,
      apiVersions: versions,
      resources,
      operations,
      scope,
    })),
    ...(objectSelector === undefined ? {} : { objectSelector }),
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(conditions === undefined
      ? {}
      : { matchConditions: conditions.map(({ name: of, expression }) => ({ name: of, expression })) }),
    failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects,
    timeoutSeconds,
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...(hook.phase === 'mutating' ? { reinvocationPolicy: 'Never' } : {}),
  }
}

function reached(address: HookAddress, path: string): JsonObject {
  if ('url' in address) return { url: `${trimmed(address.url)}${path}` }
  const { namespace, name, port } = address.service
  return { service: { namespace, name, port, path } }
}

const trimmed = (url: string): string => url.replace(/\/+$/, '')
