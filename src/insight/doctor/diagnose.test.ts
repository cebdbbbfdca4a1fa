import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
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
  quotas: [],
  customQuotas: [],
  karmadaQuotas: [],
  ledgers: [],
  pools: [],
  claims: [],
  namespaces: new Map(),
  objectsOf: () => [],
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

test('a usage is compared with what the objects of the namespace use, and nothing is said of what was not read', () => {
  const secrets = [objectOf('v1', 'Secret', 'a'), objectOf('v1', 'Secret', 'b')]
  const elsewhere = { ...objectOf('v1', 'Secret', 'c'), metadata: { name: 'c', namespace: 'elsewhere' } }
  const objectsOf: ClusterFacts['objectsOf'] = (of) =>
    qualified(of) === 'secrets' ? [...secrets, elsewhere] : undefined
  const quotas = [quota({ secrets: '5', configmaps: '5' }, { hard: {}, used: { secrets: '4', configmaps: '9' } })]
  const [finding, ...others] = diagnose({ ...NOTHING, quotas, objectsOf })
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    check: 'usage',
    part: 'secrets',
    text: 'the status says that secrets 4 is used, and the objects use 2',
    advice: 'requests are refused that fit',
    repair: { subresource: 'status', patch: { status: { used: { secrets: '2', configmaps: '9' } } } },
  })
  expect(texts({ quotas: [quota({ secrets: '5' }, undefined)], objectsOf })).toEqual([
    'error : nobody has counted the quota: it has no usage, and admission goes by that',
  ])
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
  const service = { namespace: 'quay', name: 'pilot', problem: 'has no pod that is ready' }
  const webhooks = [webhook('must', { service }), webhook('may', { service, isRequired: false })]
  expect(texts({ webhooks }).map((one) => one.split(':')[0])).toEqual(['error must.example', 'warning may.example'])
})

test('a pool keeps no room for claims that are gone, and its usage is their sum', () => {
  const pool = objectOf('capsule.clastix.io/v1beta2', 'ResourcePool', 'harbour', {
    spec: { quota: {} },
    status: {
      claims: { quay: [{ name: 'gone', namespace: 'quay', uid: 'u', claims: { pods: '2' } }] },
      allocation: { used: { pods: '3', secrets: '0' } },
    },
  }) as unknown as ResourcePool
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
  const configuration = {
    ...objectOf('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'allot'),
    metadata: { name: 'allot', annotations: { note: 'a-word' } },
    webhooks: [hook],
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
