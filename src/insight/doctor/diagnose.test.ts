import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import type { ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { ClusterFacts, SeenWebhook } from './cluster-facts.ts'
import { diagnose, persistent } from './diagnose.ts'
import type { Finding } from './finding.ts'
import { supportBundle } from './support-bundle.ts'

const NOW = Date.UTC(2026, 0, 1)
const DAY = 24 * 3_600_000

const NOTHING: ClusterFacts = {
  now: NOW,
  namespace: undefined,
  quotas: [],
  increases: [],
  concerned: undefined,
  leases: undefined,
  isInstalled: false,
  increaseConfigs: [],
  classes: new Map(),
  customQuotas: [],
  karmadaQuotas: [],
  ledgers: [],
  pools: [],
  claims: [],
  namespaces: new Map(),
  objectsOf: () => [],
  isUnread: () => false,
  conversions: [],
  offered: new OfferedResources([]),
  webhooks: [],
  definitions: [],
  apiServices: [],
  brokenGroups: [],
  probe: undefined,
  operators: [],
}

const objectOf = (apiVersion: string, kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'quay' },
  ...more,
})

const quota = (hard: object, status: object | undefined): ResourceQuota =>
  objectOf('v1', 'ResourceQuota', 'berths', { spec: { hard }, ...(status && { status }) }) as unknown as ResourceQuota

const texts = (facts: Partial<ClusterFacts>): readonly string[] =>
  diagnose({ ...NOTHING, ...facts }).map(({ severity, part, text }) => `${severity} ${part}: ${text}`)

test('nothing is wrong with nothing', () => {
  expect(diagnose(NOTHING)).toEqual([])
})

const onlySecrets = (...secrets: readonly KubeObject[]): Pick<ClusterFacts, 'objectsOf' | 'isUnread'> => ({
  objectsOf: ({ resource }) => (resource === 'secrets' ? secrets : resource === 'configmaps' ? [] : undefined),
  isUnread: ({ resource }) => resource === 'configmaps',
})

test('a usage is compared with what the objects of the namespace use, and nothing is said of what was not read', () => {
  const elsewhere = { ...objectOf('v1', 'Secret', 'c'), metadata: { name: 'c', namespace: 'elsewhere' } }
  const read = onlySecrets(objectOf('v1', 'Secret', 'a'), objectOf('v1', 'Secret', 'b'), elsewhere)
  const hard = { secrets: '5', configmaps: '5' }
  const [finding, ...others] = diagnose({
    ...NOTHING,
    ...read,
    quotas: [quota(hard, { hard, used: { secrets: '4', configmaps: '9' } })],
  })
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    check: 'usage',
    part: 'secrets',
    text: 'the status says that secrets 4 is used, and the objects use 2',
    advice: 'requests are refused that fit',
    // What is right, or unknown, is not written.
    repair: { subresource: 'status', patch: { status: { used: { secrets: '2' } } } },
  })
  expect(JSON.stringify(finding?.repair?.patch)).not.toContain('configmaps')
})

test('a limit that nobody has counted is named, and one that nothing can count is not', () => {
  const late = 'nobody has counted secrets since the limit was written: admission goes by the status'
  const found = (hard: object, status: object | undefined): readonly string[] =>
    texts({ ...onlySecrets(), quotas: [quota(hard, status)] }).filter((one) => !one.includes('limits nothing'))
  expect(found({ secrets: '5' }, undefined)).toEqual([`error : ${late}`])
  // The limit was raised, and the status was not.
  expect(found({ secrets: '50' }, { hard: { secrets: '2' }, used: { secrets: '0' } })).toEqual([`error : ${late}`])
  expect(found({ secrets: '1k' }, { hard: { secrets: '1000' }, used: { secrets: '0' } })).toEqual([])
  expect(found({ 'count/ships.sea.example': '2' }, { hard: { 'count/ships.sea.example': '2' } })).toEqual([])
})

test('nothing is said of devices that pods and claims count together, where claims of devices are served', () => {
  const pod = objectOf('v1', 'Pod', 'p', {
    spec: {
      containers: [
        { name: 'c', resources: { limits: { 'example.org/gpu': '1' }, requests: { 'example.org/gpu': '1' } } },
      ],
    },
  })
  const hard = { 'requests.example.org/gpu': '9' }
  const quotas = [quota(hard, { hard, used: { 'requests.example.org/gpu': '4' } })]
  const isUnread = (): boolean => false
  const served =
    (...resources: readonly string[]): ClusterFacts['objectsOf'] =>
    ({ resource }) =>
      resources.includes(resource) ? (resource === 'pods' ? [pod] : []) : undefined
  expect(texts({ quotas, isUnread, objectsOf: served('pods', 'resourceclaims') })).toEqual([])
  expect(texts({ quotas, isUnread, objectsOf: served('pods') })).toEqual([
    'error requests.example.org/gpu: the status says that requests.example.org/gpu 4 is used, and the objects use 1',
  ])
})

test('an amount that moves between two looks is at work, and no finding', () => {
  const look = (used: string): readonly Finding[] => {
    const hard = { secrets: '9' }
    return diagnose({ ...NOTHING, ...onlySecrets(), quotas: [quota(hard, { hard, used: { secrets: used } })] })
  }
  expect(persistent(look('3'), look('7'))).toEqual([])
  expect(persistent(look('3'), look('3'))).toHaveLength(1)
})

test('a finding that controllers may mend counts only if it stays', () => {
  const finding = (part: string, mayPass: boolean): Finding => ({
    check: 'usage',
    severity: 'error',
    object: { apiVersion: 'v1', kind: 'ResourceQuota', namespace: 'quay', name: 'berths' },
    part,
    text: part,
    advice: '',
    mayPass,
  })
  const first = [finding('stays', true), finding('passes', true)]
  const later = [finding('stays', true), finding('comes', true), finding('sure', false)]
  expect(persistent(first, later).map(({ part }) => part)).toEqual(['stays', 'sure'])
})

const webhook = (name: string, more: Partial<SeenWebhook>): SeenWebhook => ({
  configuration: {
    ...objectOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', name),
    metadata: { name },
  },
  name: `${name}.example`,
  isRequired: true,
  rules: [],
  service: undefined,
  trustedUntil: [],
  ...more,
})

test('certificates are over, or are soon if they are allot’s own, and the latest of a bundle counts', () => {
  const webhooks = [
    webhook('over', { trustedUntil: [NOW - 2 * DAY, NOW - DAY] }),
    webhook('renewed', { trustedUntil: [NOW - DAY, NOW + DAY] }),
    webhook('allot', { trustedUntil: [NOW + DAY] }),
  ]
  expect(texts({ webhooks })).toEqual([
    'error over.example: the certificate that the API server trusts for webhook over.example was valid until 2025-12-31T00:00:00Z',
    'warning allot.example: the certificate that the API server trusts for webhook allot.example is valid until 2026-01-02T00:00:00Z',
  ])
})

test('a webhook without a pod is an error where requests wait for it', () => {
  const called = (severity: Finding['severity']): SeenWebhook['service'] => ({
    namespace: 'quay',
    name: 'pilot',
    port: 443,
    problem: { text: 'has no pod that is ready', severity },
  })
  const webhooks = [
    webhook('perhaps', { service: called('note') }),
    webhook('may', { service: called('error'), isRequired: false }),
    webhook('must', { service: called('error') }),
  ]
  expect(texts({ webhooks })).toEqual([
    'error must.example: webhook must.example cannot be reached: Service quay/pilot has no pod that is ready',
    'warning may.example: webhook may.example cannot be reached: Service quay/pilot has no pod that is ready',
    'note perhaps.example: webhook perhaps.example may not be reached: Service quay/pilot has no pod that is ready',
  ])
})

test('a webhook of another program that is asked about nothing that quotas concern is a note', () => {
  const service = {
    namespace: 'quay',
    name: 'pilot',
    port: 443,
    problem: { text: 'is gone', severity: 'error' },
  } as const
  const rule = (apiGroups: readonly string[], resources: readonly string[], operations = ['CREATE']) => ({
    apiGroups,
    resources,
    operations,
  })
  const concerned = [
    { group: '', resource: 'pods' },
    { group: 'capsule.clastix.io', resource: 'resourcepools' },
  ]
  const severityOf = (rules: SeenWebhook['rules'], name = 'stranger', known: ClusterFacts['concerned'] = concerned) =>
    diagnose({
      ...NOTHING,
      concerned: known,
      webhooks: [webhook(name, { service, rules, trustedUntil: [NOW - DAY] })],
    }).map(({ severity }) => severity)
  const [asked, other] = [
    ['error', 'error'],
    ['note', 'note'],
  ]
  for (const rules of [
    [rule([''], ['pods'])],
    [rule(['sea.example'], ['ships']), rule(['*'], ['*'])],
    [rule(['*'], ['pods/status'])],
    [rule([''], ['pods/*'], ['DELETE'])],
    [rule(['', 'apps'], ['*/*'], ['*'])],
    [rule(['capsule.clastix.io'], ['resourcepools'])],
  ])
    expect([rules, severityOf(rules)]).toEqual([rules, asked])
  for (const rules of [
    [],
    [rule(['sea.example'], ['ships', '*'])],
    [rule(['apps'], ['pods'])],
    [rule([''], ['pods/exec'], ['CONNECT'])],
    [rule([''], ['services', 'podtemplates'])],
  ])
    expect([rules, severityOf(rules)]).toEqual([rules, other])
  // allot's own always counts, and so does everything where not all quotas were seen.
  expect(severityOf([], 'allot')).toEqual(asked)
  expect(diagnose({ ...NOTHING, webhooks: [webhook('stranger', { service })] })).toMatchObject([{ severity: 'error' }])
})

test('a pool keeps no room for claims that are gone, and its usage is their sum', () => {
  const pool = objectOf('capsule.clastix.io/v1beta2', 'ResourcePool', 'harbour', {
    spec: { quota: {} },
    status: {
      claims: { quay: [{ name: 'gone', namespace: 'quay', uid: 'u', claims: { pods: '2' } }] },
      allocation: { used: { pods: '3', secrets: '0' } },
    },
  }) as unknown as ResourcePool
  // Claims that the caller may not read are not gone.
  expect(texts({ pools: [pool], claims: undefined })).toEqual(['error used: its usage is not the sum of its claims'])
  expect(texts({ pools: [pool] })).toEqual([
    'error used: its usage is not the sum of its claims',
    'error quay/gone: it keeps room for claim quay/gone, which does not exist',
  ])
})

test('a KarmadaQuota is compared with its bindings', () => {
  const federated = objectOf('quota.karmada.io/v1alpha1', 'KarmadaQuota', 'fleet', {
    spec: { hard: { pods: '9' } },
    status: { hard: { pods: '9' }, used: { pods: '5' } },
  }) as unknown as KarmadaQuota
  const binding = objectOf('work.karmada.io/v1alpha2', 'ResourceBinding', 'web', {
    spec: { replicas: 2, replicaRequirements: { resourceRequest: {} } },
  })
  const objectsOf: ClusterFacts['objectsOf'] = ({ resource }) => (resource === 'resourcebindings' ? [binding] : [])
  expect(texts({ karmadaQuotas: [federated], objectsOf })).toEqual([
    'error pods: the status says that pods 5 is used, and the bindings are charged 2',
  ])
})

test('definitions and API services that are broken are named once each', () => {
  const state = (type: string, status: string) => ({ status: { conditions: [{ type, status, message: 'why' }] } })
  const facts = {
    apiServices: [objectOf('apiregistration.k8s.io/v1', 'APIService', 'v1.sea.example', state('Available', 'False'))],
    brokenGroups: [
      { group: 'sea.example', version: 'v1', message: 'unavailable' },
      { group: 'sky.example', version: 'v2', message: 'unavailable' },
    ],
    definitions: [
      objectOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a.x', state('Established', 'True')),
      objectOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'b.x', state('NamesAccepted', 'False')),
    ],
  }
  expect(texts(facts)).toEqual([
    'error : the API service is not available: why',
    'error : the API server cannot list what is in sky.example/v2: unavailable',
    'error : the definition is not served: why',
  ])
})

test('a bundle has neither annotations nor certificates nor paths of URLs [security/support-bundle]', () => {
  const hook = {
    name: 'own',
    clientConfig: { url: 'https://10.0.0.1:9443/a-key', caBundle: 'Y2E=' },
    rules: [],
  }
  const service = { namespace: 'allot', name: 'allot', port: 443, path: '/validate/a-key' }
  const configuration = {
    ...objectOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'allot'),
    metadata: { name: 'allot', annotations: { note: 'a-word' } },
    webhooks: [hook, { ...hook, clientConfig: { service, caBundle: 'Y2E=' } }],
  }
  const facts = { ...NOTHING, webhooks: [webhook('allot', { configuration })] }
  const text = 'a dry run was not answered: Post "https://10.0.0.1:9443/a-key?timeout=10s": refused'
  const finding: Finding = {
    check: 'webhook',
    severity: 'error',
    object: { apiVersion: '', kind: '', namespace: '', name: '' },
    part: '',
    text,
    advice: '',
    mayPass: false,
  }
  const bundle = JSON.stringify(supportBundle(facts, [finding], [], {}))
  for (const secret of ['a-key', 'a-word', 'Y2E=']) expect(bundle).not.toContain(secret)
  expect(bundle).toContain('https://10.0.0.1:9443/…')
})
