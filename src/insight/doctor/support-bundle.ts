import { timeText } from '../../machinery/text/time.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf } from '../../machinery/read.ts'
import type { QuantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { compiledSpec } from '../budgets/custom-quota.ts'
import { shownPool } from '../top/shown-pool.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { mayBeShown } from './counted-objects.ts'
import type { Finding } from './finding.ts'

/** The metadata that a bundle shows. Annotations may hold anything, and so stay away. */
const METADATA = [
  'name',
  'namespace',
  'uid',
  'generation',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'labels',
  'finalizers',
] as const
type AnyCustomQuota = ClusterFacts['customQuotas'][number]

/** What of a webhook tells when it is asked. */
const WEBHOOK = [
  'name',
  'failurePolicy',
  'matchPolicy',
  'rules',
  'namespaceSelector',
  'objectSelector',
  'matchConditions',
  'timeoutSeconds',
  'sideEffects',
] as const
/** The path of a URL may be a secret. */
const URL_PATH = /(https?:\/\/[^\s/"'?]+)[/?][^\s"']*/g

export interface SupportBundle extends JsonObject {
  readonly format: 1
}

/**
 * Returns what a helper from afar needs: findings, versions, and the quotas with their ledgers and states. Secrets, ConfigMaps, annotations,
 * certificates, paths of URLs, and the content of counted objects are not in it.
 */
export function supportBundle(
  facts: ClusterFacts,
  findings: readonly Finding[],
  notSeen: readonly string[],
  versions: Readonly<Record<string, string>>,
): SupportBundle {
  const { webhooks } = facts
  const configurations = new Set(webhooks.map(({ configuration }) => configuration))
  const bundle = {
    format: 1,
    at: timeText(facts.now),
    versions,
    findings: findings.map(({ repair: _repair, mayPass: _mayPass, ...finding }) => finding),
    notSeen,
    quotas: [
      ...facts.quotas.map(whole),
      ...facts.customQuotas.map((quota) => (isShown(quota, facts) ? whole(quota) : whole(withoutObjects(quota)))),
      ...facts.karmadaQuotas.map(whole),
    ],
    ledgers: (facts.ledgers ?? []).map((ledger) => (isOfShown(ledger, facts) ? whole(ledger) : headOf(ledger))),
    // Pools tell of claims in all namespaces.
    pools: facts.pools.map((pool) => whole(facts.claims === undefined ? shownPool(pool, () => false) : pool)),
    claims: (facts.claims ?? []).map(whole),
    webhookConfigurations: [...configurations].map(configurationOf),
    services: webhooks.flatMap(({ service }) => service ?? []),
    definitions: facts.definitions.map(conditions),
    apiServices: facts.apiServices.map(conditions),
    brokenGroups: facts.brokenGroups,
    resources: facts.offered.all.map(({ group, resource, namespaced }) => ({ group, resource, namespaced })),
  } as const
  return withoutPaths(bundle) as typeof bundle
}

const pick = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

const headOf = ({ apiVersion, kind, metadata }: KubeObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: pick({ ...metadata }, METADATA),
})

const whole = (object: KubeObject): JsonObject => ({
  ...headOf(object),
  spec: object['spec'],
  status: object['status'],
})

/** May the reader list all that the quota counts? */
function isShown({ spec }: AnyCustomQuota, facts: ClusterFacts): boolean {
  const compilation = compiledSpec(spec)
  return compilation.ok && compilation.quota.kinds.every((kind) => mayBeShown(kind, facts))
}

const isOfShown = ({ spec: { targetRef } }: QuantityLedger, facts: ClusterFacts): boolean =>
  facts.customQuotas.some(
    (quota) =>
      quota.kind === targetRef.kind &&
      quota.metadata.name === targetRef.name &&
      (quota.metadata.namespace ?? '') === (targetRef.namespace ?? '') &&
      isShown(quota, facts),
  )

/** Without the objects that it counts, their namespaces, and what its conditions say of them. */
function withoutObjects(quota: AnyCustomQuota): KubeObject {
  const { usage, conditions: all = [] } = quota.status ?? {}
  return { ...quota, status: { usage, conditions: all.map((one) => ({ ...one, message: '' })) } }
}

const conditions = (object: KubeObject): JsonObject => ({
  ...headOf(object),
  conditions: objectsOf(objectOf(object['status'])['conditions']),
})

const configurationOf = (configuration: KubeObject): JsonObject => ({
  ...headOf(configuration),
  webhooks: objectsOf(configuration['webhooks']).map((hook) => ({
    ...pick(hook, WEBHOOK),
    // The path may be a secret: allot's webhooks have a key there.
    service: pick(objectOf(objectOf(hook['clientConfig'])['service']), ['namespace', 'name', 'port']),
  })),
})

function withoutPaths(value: unknown): unknown {
  if (typeof value === 'string') return withoutUrlPaths(value)
  if (Array.isArray(value)) return value.map(withoutPaths)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutPaths(one)]))
}

/** A text with the hosts of its URLs alone. */
export const withoutUrlPaths = (text: string): string => text.replaceAll(URL_PATH, '$1/…')
