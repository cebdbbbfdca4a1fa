// Covers src/insight/doctor/unmatched-scopes.ts and src/insight/doctor/unmatched-sources.ts
import { expect, test } from 'vitest'
import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { unmatchedSelectors } from './unmatched-selectors.ts'

const VERBS = ['create', 'delete', 'list', 'watch']
const served = (group: string, resource: string, kind: string) => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  verbs: VERBS,
})
const OFFERED = new OfferedResources([
  served('', 'configmaps', 'ConfigMap'),
  served('', 'secrets', 'Secret'),
  served('', 'pods', 'Pod'),
])
const OBJECTS = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: quay, labels: {size: big}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: yard, labels: {size: small}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: quay}, spec: {priorityClassName: gold, containers: []}}
---
{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: w, namespace: quay}, spec: {replicas: 1, replicaRequirements: {priorityClassName: gold}}}
`
const RESOURCES: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  pods: 'Pod',
  secrets: 'Secret',
  resourcebindings: 'ResourceBinding',
}

/** The notes on the quotas among these manifests. */
function notes(manifests: string, more: Partial<ClusterFacts> = {}): readonly string[] {
  const [quotas, objects] = [readManifests('quotas', manifests), readManifests('objects', OBJECTS)]
  const of = (kind: string): readonly KubeObject[] => quotas.filter((one) => one.kind === kind)
  return unmatchedSelectors({
    now: 0,
    increases: [],
    concerned: undefined,
    leases: undefined,
    isInstalled: false,
    namespace: undefined,
    quotas: quotas.filter(isResourceQuota),
    customQuotas: [
      ...of('CustomQuota').map((one) => customQuota.read(one)),
      ...of('GlobalCustomQuota').map((one) => globalCustomQuota.read(one)),
    ],
    karmadaQuotas: of('KarmadaQuota').map((one) => karmadaQuota.read(one)),
    increaseConfigs: of('QuotaServiceConfig').map((one) => quotaServiceConfig.read(one)),
    pools: of('ResourcePool').map((one) => resourcePool.read(one)),
    ledgers: [],
    claims: [],
    namespaces: new Map(
      readManifests(
        'namespaces',
        '{apiVersion: v1, kind: Namespace, metadata: {name: quay, labels: {team: sea}}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: yard}}',
      ).map((one) => [one.metadata.name ?? '', one]),
    ),
    classes: new Map([['priorityclasses.scheduling.k8s.io', new Set(['gold', 'silver'])]]),
    objectsOf: ({ resource }) => objects.filter(({ kind }) => kind === RESOURCES[resource]),
    isUnread: () => false,
    conversions: [],
    offered: OFFERED,
    webhooks: [],
    definitions: [],
    apiServices: [],
    brokenGroups: [],
    probe: undefined,
    operators: [],
    ...more,
  }).map(({ severity, text }) => `${severity}: ${text}`)
}

const pool = (spec: string): string =>
  `{apiVersion: capsule.clastix.io/v1beta2, kind: ResourcePool, metadata: {name: p}, spec: {quota: {hard: {}}, ${spec}}}`
const custom = (kind: string, spec: string): string =>
  `{apiVersion: capsule.clastix.io/v1beta2, kind: ${kind}, metadata: {name: c${kind === 'CustomQuota' ? ', namespace: quay' : ''}}, spec: {limit: 1, ${spec}}}`
const MAPS = 'sources: [{apiVersion: v1, kind: ConfigMap, op: count}]'
const classes = (operator: string, values: string): string =>
  `scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: ${operator}, values: [${values}]}]}`
const quota = (spec: string): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: quay}, spec: {hard: {pods: "1"}, ${spec}}}`
const federated = (spec: string): string =>
  `{apiVersion: quota.karmada.io/v1alpha1, kind: KarmadaQuota, metadata: {name: k, namespace: quay}, spec: {hard: {pods: "1"}, ${spec}}}`
const NO_PODS = 'note: its scopes select nothing now among the pods of its namespace'

test.each<readonly [string, string, readonly string[]]>([
  [
    'one of two selectors of a pool',
    pool('selectors: [{matchLabels: {team: sea}}, {matchLabels: {team: sky}}]'),
    ['note: spec.selectors[1] selects no namespace now'],
  ],
  [
    'a class that the quota of a pool names',
    pool(`selectors: [{matchLabels: {team: sea}}], quota: {hard: {pods: "1"}, ${classes('In', 'bronze')}}`).replace(
      'quota: {hard: {}}, ',
      '',
    ),
    ['note: its scopes name PriorityClass bronze, which does not exist now'],
  ],
  [
    'a definition of base quotas',
    '{apiVersion: openmcp.cloud/v1alpha1, kind: QuotaServiceConfig, metadata: {name: c}, spec: {quotas: [{name: a, mode: cumulative, template: {spec: {}}}, {name: b, mode: cumulative, selector: {matchLabels: {team: sky}}, template: {spec: {}}}]}}',
    ['note: spec.quotas[1].selector selects no namespace now'],
  ],
  [
    'namespaces of a global quota',
    custom('GlobalCustomQuota', `${MAPS}, namespaceSelectors: [{matchLabels: {team: sky}}]`),
    ['note: spec.namespaceSelectors[0] selects no namespace now'],
  ],
  [
    'objects in other namespaces',
    custom(
      'GlobalCustomQuota',
      `${MAPS}, namespaceSelectors: [{matchLabels: {team: sea}}], scopeSelectors: [{matchLabels: {size: small}}]`,
    ),
    ['note: spec.scopeSelectors[0] selects none of the objects that it may count now'],
  ],
  ['objects that there are', custom('CustomQuota', `${MAPS}, scopeSelectors: [{matchLabels: {size: big}}]`), []],
  [
    'a selector by a field',
    custom(
      'CustomQuota',
      'sources: [{apiVersion: v1, kind: ConfigMap, op: count, selectors: [{fieldSelectors: [.data.berth]}]}]',
    ),
    ['note: spec.sources[0].selectors select no ConfigMap now'],
  ],
  [
    'what can never match has a finding of its own',
    custom(
      'CustomQuota',
      `${MAPS}, scopeSelectors: [{matchLabels: {size: big}, matchExpressions: [{key: size, operator: DoesNotExist}]}]`,
    ),
    [],
  ],
  ['a class that exists and no pod has', quota(classes('In', 'silver')), [NO_PODS]],
  ['a class that pods have', quota(classes('In', 'gold')), []],
  [
    'a class that does not exist is left out',
    quota(classes('NotIn', 'bronze')),
    ['note: its scopes name PriorityClass bronze, which does not exist now'],
  ],
  ['a scope', quota('scopes: [Terminating]'), [NO_PODS]],
  ['scopes that no pod can meet', quota('scopes: [Terminating, NotTerminating]'), []],
  [
    'a KarmadaQuota',
    federated(classes('In', 'silver')),
    ['note: its scopes select nothing now among the pods of ResourceBindings of its namespace'],
  ],
  ['a KarmadaQuota with pods', federated(classes('In', 'gold')), []],
  [
    'quotas without selectors',
    `${quota('')}\n---\n${federated('')}\n---\n${custom('CustomQuota', 'sources: [{apiVersion: v1, kind: Secret, op: count}]')}`,
    [],
  ],
])('a note tells of what matches nothing now: %s', (_, manifests, expected) => {
  expect(notes(manifests)).toEqual(expected)
})

test('nothing is said of selectors where what they select was not read', () => {
  const all = [
    pool('selectors: [{matchLabels: {team: sky}}]'),
    custom(
      'GlobalCustomQuota',
      `${MAPS}, namespaceSelectors: [{matchLabels: {team: sky}}], scopeSelectors: [{matchLabels: {size: none}}]`,
    ),
    custom('CustomQuota', `${MAPS}, scopeSelectors: [{matchLabels: {size: none}}]`),
    quota(classes('In', 'bronze')),
    federated(classes('In', 'bronze')),
  ].join('\n---\n')
  expect(notes(all).length).toBeGreaterThan(5)
  expect(notes(all, { namespaces: undefined, classes: new Map(), isUnread: () => true })).toEqual([])
})
