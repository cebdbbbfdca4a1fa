import { expect, test } from 'vitest'
import { guessedResource } from '../../api/guessed-resource.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { DEFINITION_LABEL, INCREASES_MANAGED_BY_LABEL } from '../../systems/quota-increase/api/increase-names.ts'
import type { Simulation } from './simulation.ts'
import { simulationText } from './simulation-text.ts'
import { type KindOf, Simulator } from './simulate.ts'
import type { NotSeen } from './undecided.ts'

const CLUSTER_WIDE = new Set(['Namespace', 'ResourcePool', 'QuotaServiceConfig', 'GlobalCustomQuota', 'ClusterRole'])
const kinds: KindOf = (apiVersion, kind) =>
  kind === 'Unserved' ? undefined : { ...guessedResource(apiVersion, kind), kind, namespaced: !CLUSTER_WIDE.has(kind) }

/** What changes come to on a cluster of which not everything could be read. */
function simulated(state: string, changes: string, notSeen: readonly (string | NotSeen)[] = []): Simulation {
  const simulator = new Simulator({
    state: readManifests('state', state),
    isFromCluster: true,
    kinds,
    decode: (object) => object,
    typeOf: () => undefined,
    namespace: 'shop',
    now: Date.parse('2026-01-01T00:00:00Z'),
    timestamp,
    notSeen: notSeen.map((one) => (typeof one === 'string' ? { resource: one, reason: 'you may not list them' } : one)),
  })
  simulator.step(readManifests('changes', changes).map((object) => ({ operation: 'apply' as const, object })))
  return simulator.result()
}

const NAMESPACE = '{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: shop, labels: {pool: main}}}\n---\n'
const POD = '{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: app}]}}\n---\n'
const CONFIG_MAP = '{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n---\n'
const CLUSTER_ROLE = '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}}\n---\n'
const CAPSULE = 'apiVersion: capsule.clastix.io/v1beta2'
const CLAIM = `{${CAPSULE}, kind: ResourcePoolClaim, metadata: {name: more}, spec: {pool: main, claim: {pods: "1"}}}\n---\n`
const OPENMCP = 'apiVersion: openmcp.cloud/v1alpha1'
const INCREASE = `{${OPENMCP}, kind: QuotaIncrease, metadata: {name: more}, spec: {hard: {pods: "1"}}}\n---\n`
const config = (
  ...names: readonly string[]
): string => `{${OPENMCP}, kind: QuotaServiceConfig, metadata: {name: standard},
  spec: {quotas: [${names.map((name) => `{name: ${name}, mode: cumulative, template: {spec: {hard: {pods: "2"}}}}`).join(', ')}]}}\n---\n`
const BINDING = '{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: web}}\n---\n'
const global = (status: string): string => `
${CAPSULE}
kind: GlobalCustomQuota
metadata: {name: maps, uid: maps}
spec: {limit: 1, sources: [{version: v1, kind: ConfigMap, op: count}]}
${status}
---
`
const quota = (hard: string): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: ${hard}}}\n---\n`

test.each<readonly [string, string, string, readonly (string | NotSeen)[], string | undefined]>([
  ['everything is seen', NAMESPACE, POD, [], undefined],
  ['quotas are not', NAMESPACE, POD, ['resourcequotas'], 'resourcequotas: you may not list them'],
  ['pods are not', NAMESPACE, POD, ['pods'], 'pods: you may not list them'],
  ['LimitRanges are not', NAMESPACE, POD, ['limitranges'], 'limitranges: you may not list them'],
  ['quotas are not, and nothing is in a namespace', NAMESPACE, CLUSTER_ROLE, ['resourcequotas'], undefined],
  [
    'quotas of other namespaces are not, and no pool decides',
    NAMESPACE,
    POD,
    [{ resource: 'resourcequotas', reason: 'you may not', isElsewhere: true }],
    undefined,
  ],
  [
    'quotas of other namespaces are not, and a pool decides',
    NAMESPACE,
    CLAIM,
    [{ resource: 'resourcequotas', reason: 'you may not', isElsewhere: true }],
    'resourcequotas: you may not',
  ],
  [
    'KarmadaQuotas are not',
    NAMESPACE,
    BINDING,
    ['karmadaquotas.quota.karmada.io'],
    'karmadaquotas.quota.karmada.io: you',
  ],
  [
    'KarmadaQuotas of other namespaces are not',
    NAMESPACE,
    BINDING,
    [{ resource: 'karmadaquotas.quota.karmada.io', reason: 'you may not', isElsewhere: true }],
    undefined,
  ],
  ['pools are not', NAMESPACE, CLAIM, ['resourcepools.capsule.clastix.io'], 'claim shop/more is not decided'],
  ['increases', NAMESPACE, INCREASE, ['quotaserviceconfigs.openmcp.cloud'], 'increase shop/more is not decided'],
  ['namespaces', NAMESPACE, INCREASE, ['namespaces'], 'increase shop/more is not decided'],
  ['a manifest is ignored', NAMESPACE, '{apiVersion: v1, kind: Unserved, metadata: {name: x}}', [], 'Unserved x is'],
  ['a new quota counts what is not seen', NAMESPACE, quota('{secrets: "1"}'), ['secrets'], 'secrets: you may not'],
  ['nothing counts what is not seen', NAMESPACE, POD, ['secrets'], undefined],
  [
    'a custom quota that nobody has counted counts',
    NAMESPACE + global(''),
    CONFIG_MAP,
    [],
    'maps counts what changes: nobody has',
  ],
  [
    'a new custom quota counts what is not seen',
    NAMESPACE,
    global(''),
    ['configmaps'],
    'maps counts what changes: not all',
  ],
  [
    'a new custom quota counts what is not seen elsewhere',
    NAMESPACE,
    global(''),
    [{ resource: 'configmaps', reason: 'you may not', isElsewhere: true }],
    'maps counts what changes: not all',
  ],
  ['a custom quota among the changes counts', NAMESPACE, global('') + CONFIG_MAP, [], undefined],
  ['a custom quota counts another kind', NAMESPACE + global(''), POD, [], undefined],
  [
    'a custom quota refuses nothing',
    NAMESPACE +
      global(
        'status: {conditions: [{type: Ready, status: "True"}, {type: Enforced, status: "False", reason: EnforcementOff}]}',
      ),
    CONFIG_MAP,
    [],
    undefined,
  ],
])('it is not known whether changes fit where something that decides is not seen: %s', (...row) => {
  const [, state, changes, notSeen, why] = row
  const result = simulated(state, changes, notSeen)
  expect([result.verdict, result.undecided]).toEqual(
    why === undefined ? ['fits', []] : ['unknown', expect.arrayContaining([expect.stringContaining(why)])],
  )
  if (why !== undefined) expect(simulationText(result)).toContain('Undecided\n')
})

test('an increase of a caller who may not read the definitions is neither a fact nor a problem', () => {
  const result = simulated(NAMESPACE, INCREASE, ['quotaserviceconfigs.openmcp.cloud'])
  expect(result.increases).toEqual([
    { namespace: 'shop', name: 'more', after: { contributes: '', state: 'undecided' } },
  ])
  // Without the increases of others the base quota stays as it is.
  const blind = simulated(NAMESPACE + config('base'), INCREASE, ['quotaincreases.openmcp.cloud'])
  expect([blind.verdict, blind.quotas]).toEqual(['unknown', []])
})

test('definitions that look like an accident are not followed, and it says so', () => {
  const quotas = ['base', 'side'].map((name) => ({
    name,
    mode: 'cumulative',
    template: { spec: { hard: { pods: '2' } } },
  }))
  const following = (names: readonly string[]): string =>
    JSON.stringify({
      apiVersion: 'openmcp.cloud/v1alpha1',
      kind: 'QuotaServiceConfig',
      metadata: { name: 'standard' },
      spec: { quotas: quotas.filter(({ name }) => names.includes(name)) },
    })
  // What the operator has made of the first one.
  const kept = `
---
apiVersion: v1
kind: ResourceQuota
metadata:
  name: base
  namespace: shop
  labels: {${INCREASES_MANAGED_BY_LABEL}: standard, ${DEFINITION_LABEL}: base}
spec: {hard: {pods: "2"}}
status: {hard: {pods: "2"}, used: {pods: "0"}}
`
  const result = simulated(NAMESPACE + following(['base', 'side']) + kept, following(['side']))
  expect(result.quotas).toEqual([])
  expect([result.verdict, result.changes[0]?.message]).toEqual([
    'stalls',
    'allot does not follow it: the definition base is missing; it is in use in shop',
  ])
})
