import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { CAPSULE, isCompatible, type Peer, QUOTA_OPERATOR } from './peer.ts'
import { type PeerFacts, peerWorkload, purposeOf, runsPeer } from './peer-facts.ts'
import { type Accepted, refusalOf } from './peer-refusal.ts'

const deployment = (image: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'peers', name: 'manager', labels },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'peer' } },
    template: {
      spec: {
        containers: [
          { name: 'proxy', image: 'proxy:v9' },
          { name: 'manager', image },
        ],
      },
    },
  },
})

describe('allot takes the place of', () => {
  test.each([
    [CAPSULE, ['v0.14.0', '0.14.7', 'v0.14.0-rc1'], ['v0.13.9', '0.15.0', 'v1.14.0', 'latest', '', 'v0.140.0', '0.1']],
    [QUOTA_OPERATOR, ['v0.3.1', '0.18.0', 'v1.0.0'], ['0.2.0', 'v0.19.0', '1.1.0', '2.0.0']],
  ])('$title, versions of which it knows, and no others', (peer, good, bad) => {
    expect(good.filter((version) => !isCompatible(peer, version))).toEqual([])
    expect(bad.filter((version) => isCompatible(peer, version))).toEqual([])
  })

  test.each([
    ['ghcr.io/projectcapsule/capsule:v0.14.0', {}, 'v0.14.0'],
    ['registry:5000/capsule:0.14.1@sha256:00', {}, '0.14.1'],
    ['capsule@sha256:00', { 'app.kubernetes.io/version': '0.14.2' }, '0.14.2'],
    ['registry:5000/capsule', {}, ''],
  ])('a Deployment that runs %s', (image, labels, version) => {
    expect(runsPeer(deployment(image, labels), CAPSULE)).toBe(true)
    expect(peerWorkload(deployment(image, labels), CAPSULE)).toMatchObject({
      version,
      replicas: 2,
      selector: 'app=peer',
    })
  })

  test('a Deployment whose pods are selected by labels and expressions, and never all pods', () => {
    const matchExpressions = [
      { key: 'a', operator: 'In', values: ['b', 'c'] },
      { key: 'd', operator: 'NotIn', values: ['e'] },
      { key: 'f', operator: 'Exists' },
      { key: 'g', operator: 'DoesNotExist' },
    ]
    const selected = (selector: object): string =>
      peerWorkload({ ...deployment('capsule:v0.14.0'), spec: { selector } } as KubeObject, CAPSULE).selector
    expect(selected({ matchExpressions })).toBe('a in (b,c),d notin (e),f,!g')
    expect(selected({ matchLabels: { x: 'y' }, matchExpressions: matchExpressions.slice(2) })).toBe('x=y,f,!g')
  })

  test('no program whose image is only named alike', () => {
    expect(runsPeer(deployment('ghcr.io/projectcapsule/capsule-proxy:v0.14.0'), CAPSULE)).toBe(false)
  })
})

const crd = (spec: object, storedVersions: readonly string[] = ['v1beta2']): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'resourcepools.capsule.clastix.io' },
  spec: { versions: [{ name: 'v1beta2', served: true }], ...spec },
  status: { storedVersions },
})

const facts = (more: Partial<PeerFacts> = {}): PeerFacts => ({
  workloads: [peerWorkload(deployment('capsule:v0.14.0'), CAPSULE)],
  configurations: [],
  crds: [crd({})],
  counts: {},
  unserved: {},
  services: [],
  ready: [],
  unlistable: [],
  allotReplicas: 2,
  ...more,
})
const NOTHING: Accepted = { unserved: false, outside: false }
const said = (more: Partial<PeerFacts>, accepted: Partial<Accepted> = {}, peer: Peer = CAPSULE): string =>
  refusalOf(peer, facts(more), { ...NOTHING, ...accepted })?.message ?? ''

describe('allot refuses to take the place of a program', () => {
  const one = peerWorkload(deployment('capsule:v0.14.0'), CAPSULE)
  const twice = [{ ...one, namespace: 'mallory' }, one]
  const unknown = [peerWorkload(deployment('capsule:edge'), CAPSULE)]

  test.each<[string, Partial<PeerFacts>, string]>([
    ['that does not run', { workloads: [] }, 'no Deployment in the cluster runs an image of Capsule'],
    ['that runs in several namespaces', { workloads: twice }, 'image of Capsule: mallory/manager, peers/manager'],
    ['of an unknown version', { workloads: unknown }, 'runs Capsule edge, and allot takes the place of 0.14'],
    ['without kinds', { crds: [] }, 'the cluster has none of the kinds ResourcePool, '],
    ['with kinds of another version', { crds: [crd({ versions: [] })] }, 'does not serve v1beta2'],
    ['with objects of another version', { crds: [crd({}, ['v1beta1', 'v1beta2'])] }, 'may be stored as v1beta1'],
    ['that converts', { crds: [crd({ conversion: { strategy: 'Webhook' } })] }, 'are converted by a webhook'],
    ['with Tenants', { unserved: { Tenant: ['a', 'b', 'c', 'd'] } }, '4 of the kind Tenant (a, b, c and 1 more)'],
    ['whose quotas count what it may not list', { unlistable: ['pods'] }, 'allot may not list and watch pods'],
    ['where it is not installed', { allotReplicas: undefined }, 'allot is not installed in the cluster'],
  ])('%s', (_, more, message) => {
    expect(said(more)).toContain(message)
  })

  test('unless the caller accepts it', () => {
    expect(said({ workloads: unknown }, { version: '0.14.3' })).toBe('')
    expect(said({ unserved: { Tenant: ['a'] } }, { unserved: true })).toBe('')
    expect(said({ allotReplicas: undefined }, { outside: true })).toBe('')
    expect(said({})).toBe('')
  })
})

test.each([
  [{ name: 'calculation.custom-quotas.validating.projectcapsule.dev', rules: [] }, 'charges'],
  [{ name: 'x', clientConfig: { service: { path: '/custom-quotas/calculations' } } }, 'charges'],
  [{ name: 'x', rules: [{ apiGroups: ['capsule.clastix.io'], resources: ['resourcepools'] }] }, 'kinds'],
  [{ name: 'x', rules: [{ apiGroups: ['capsule.clastix.io'], resources: ['resourcepools', 'tenants'] }] }, 'other'],
  [{ name: 'x', rules: [{ apiGroups: ['other.io'], resources: ['resourcepools'] }] }, 'other'],
  [{ name: 'x' }, 'other'],
])('the webhook %j decides on %s', (hook, purpose) => {
  expect(purposeOf(hook as JsonObject, CAPSULE)).toBe(purpose)
})
