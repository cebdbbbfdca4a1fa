// Covers every evaluator of table.ts, by the vectors.
import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { QUOTA_EVALUATORS } from './table.ts'
import type { Attributes, Evaluator } from '../evaluator.ts'
import { lookupAmong } from '../lookup.ts'
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim.ts'
import { podEvaluator } from './pod.ts'
import { qosClass } from '../../kinds/core/pod/qos-class.ts'
import { resourceClaimEvaluator } from './resource-claim.ts'
import { matchingScopes } from './scopes.ts'
import { serviceEvaluator } from './service.ts'

interface Named {
  readonly name: string
}
type Usage = Record<string, string>
interface Matching {
  readonly name?: string
  readonly evaluator?: string
  readonly input: string[]
  readonly expect: string[]
}

const name = (value: Named): string => value.name
const object = (raw: JsonObject | null | undefined, kind = 'Pod'): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {},
  ...raw,
})

/** The resources of the objects that a claim's cost depends on. */
const resourceOf = ({ kind }: KubeObject): GroupResource =>
  kind === 'Pod'
    ? { group: '', resource: 'pods' }
    : { group: 'resource.k8s.io', resource: `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}` }

/** `services`, `deployments.apps`, or `<object count>` for any kind of the table's last resort. */
function evaluator(id: string): Evaluator {
  const [resource = '', ...group] = id === '<object count>' ? ['widgets', 'example', 'com'] : id.split('.')
  const found = QUOTA_EVALUATORS.of({ group: group.join('.'), resource })
  if (found === undefined) throw new Error(`no evaluator for ${id}`)
  return found
}

function usage(of: Evaluator, raw: JsonObject): Usage {
  return formatResourceList(of.usage(object(raw), { now: 0 }))
}

const services = vectors<{
  serviceUsage: (Named & { service: JsonObject; usage: Usage })[]
  serviceConstraints: (Named & { service: JsonObject; required: string[]; expectError: string })[]
  matchingResources: Matching[]
}>('kubernetes/service-usage.json')

eachCase('kubernetes/service-usage.json#serviceUsage', services.serviceUsage, name, (value) => {
  expect(usage(serviceEvaluator, value.service)).toEqual(value.usage)
})

eachCase('kubernetes/service-usage.json#serviceConstraints', services.serviceConstraints, name, (value) => {
  expect(serviceEvaluator.missing?.(value.required, object(value.service)) ?? []).toEqual([])
})

eachCase(
  'kubernetes/service-usage.json#matchingResources',
  services.matchingResources,
  (value) => value.evaluator ?? '',
  (value) => {
    expect(value.input.filter(evaluator(value.evaluator ?? '').counts).toSorted()).toEqual(value.expect.toSorted())
  },
)

const claims = vectors<{ pvcUsage: (Named & { pvc: JsonObject; usage: Usage })[]; matchingResources: Matching[] }>(
  'kubernetes/pvc-usage.json',
)

eachCase('kubernetes/pvc-usage.json#pvcUsage', claims.pvcUsage, name, (value) => {
  expect(usage(persistentVolumeClaimEvaluator, value.pvc)).toEqual(value.usage)
})

eachCase(
  'kubernetes/pvc-usage.json#matchingResources',
  claims.matchingResources,
  (value) => value.name ?? 'executed',
  (value) => {
    expect(value.input.filter(persistentVolumeClaimEvaluator.counts)).toEqual(value.expect)
  },
)

interface Devices {
  readonly claim: JsonObject
  readonly usage_DRAExtendedResource_on: Usage
  readonly deviceClasses?: readonly { readonly name: string; readonly extendedResourceName: string }[]
  readonly ownerPod?: OwnerPod
  readonly note?: string
}

const devices = vectors<{
  usage: (Devices & Named)[]
  matchingResources: (Matching & Named)[]
}>('kubernetes/resourceclaim-usage.json')

interface OwnerPod {
  readonly name: string
  /** Each container is its requests. */
  readonly containers: JsonObject[]
  readonly initContainers?: JsonObject[]
  readonly status: JsonObject
}

/** The objects stored beside the claim of a case: its device classes, its pod and, where the note says so, another claim. */
function beside({ claim, deviceClasses = [], ownerPod, note = '' }: Devices): KubeObject[] {
  const classes = deviceClasses.map(({ name: of, extendedResourceName }) =>
    object({ metadata: { name: of }, spec: { extendedResourceName } }, 'DeviceClass'),
  )
  if (ownerPod === undefined) return classes
  const containers = (list: readonly JsonObject[] = []) => list.map((requests) => ({ resources: { requests } }))
  const pod = object({
    metadata: { name: ownerPod.name, namespace: 'ns', uid: 'uid' },
    spec: { containers: containers(ownerPod.containers), initContainers: containers(ownerPod.initContainers) },
    status: ownerPod.status,
  })
  const own = object(claim, 'ResourceClaim')
  const others = note.startsWith('another claim') ? [{ ...own, metadata: { ...own.metadata, name: 'another' } }] : []
  return [...classes, pod, own, ...others]
}

eachCase('kubernetes/resourceclaim-usage.json#usage', devices.usage, name, (value) => {
  const lookup = lookupAmong(beside(value), resourceOf)
  const found = resourceClaimEvaluator.usage(object(value.claim, 'ResourceClaim'), { now: 0, lookup })
  expect(formatResourceList(found)).toEqual(value.usage_DRAExtendedResource_on)
})

eachCase('kubernetes/resourceclaim-usage.json#matchingResources', devices.matchingResources, name, (value) => {
  expect(value.input.filter(resourceClaimEvaluator.counts)).toEqual(value.expect)
})

const SCOPES = 'kubernetes/scopes.json'
const scopes = vectors<{
  podScopes: (Named & { pod: JsonObject; selector: ScopeRequirement; matches?: boolean; error?: string })[]
  podMatchingScopes: (Named & { object: JsonObject; selectors: ScopeRequirement[]; matching: ScopeRequirement[] })[]
  pvcMatchingScopes: (Named & { object: JsonObject; selectors: ScopeRequirement[]; matching: ScopeRequirement[] })[]
  qosClass: (Named & { podSpec: JsonObject; qosClass: string })[]
  handles: (Named & {
    evaluator: string
    operation: Attributes['operation']
    subresource: string
    object?: JsonObject | null
    oldObject?: JsonObject | null
    handles_1_33: boolean | string
  })[]
}>(SCOPES)

eachCase(`${SCOPES}#podScopes`, scopes.podScopes, name, (value) => {
  const match = (): boolean => matchingScopes(podEvaluator, [value.selector], object(value.pod)).length > 0
  if (value.error === undefined) expect(match()).toBe(value.matches)
  else expect(match).toThrow(value.error)
})

eachCase(`${SCOPES}#podMatchingScopes`, scopes.podMatchingScopes, name, (value) => {
  expect(matchingScopes(podEvaluator, value.selectors, object(value.object))).toEqual(value.matching)
})

eachCase(`${SCOPES}#pvcMatchingScopes`, scopes.pvcMatchingScopes, name, (value) => {
  expect(matchingScopes(persistentVolumeClaimEvaluator, value.selectors, object(value.object))).toEqual(value.matching)
})

eachCase(`${SCOPES}#qosClass`, scopes.qosClass, name, (value) => {
  expect(qosClass(value.podSpec)).toBe(value.qosClass)
})

eachCase(
  `${SCOPES}#handles`,
  scopes.handles,
  (value) => `${value.evaluator} ${value.name}`,
  (value) => {
    const attributes: Attributes = {
      group: '',
      resource: '',
      subresource: value.subresource,
      operation: value.operation,
      name: 'x',
      namespace: 'ns',
      object: object(value.object),
      ...(value.oldObject
        ? { oldObject: object(value.oldObject) }
        : value.oldObject === undefined
          ? {}
          : { oldObject: object({}) }),
      dryRun: false,
    }
    expect(evaluator(value.evaluator).handles(attributes)).toBe(value.handles_1_33 !== false)
  },
)

test.each<GroupResource>([
  ...['events', 'bindings', 'componentstatuses'].map((resource) => ({ group: '', resource })),
  { group: 'events.k8s.io', resource: 'events' },
  ...['tokenreviews', 'selfsubjectreviews'].map((resource) => ({ group: 'authentication.k8s.io', resource })),
  ...['subjectaccessreviews', 'selfsubjectaccessreviews', 'localsubjectaccessreviews', 'selfsubjectrulesreviews'].map(
    (resource) => ({ group: 'authorization.k8s.io', resource }),
  ),
])('$resource of group "$group" is never charged', (of) => {
  expect(QUOTA_EVALUATORS.of(of)).toBeUndefined()
})

test('a scope selector with an invalid label value cannot be evaluated', () => {
  const requirement = { scopeName: 'PriorityClass', operator: 'In', values: ['a b'] }
  expect(() => matchingScopes(podEvaluator, [requirement], object({}))).toThrow(
    'values[0][PriorityClass]: Invalid value: "a b": a valid label',
  )
})

test('the storage class annotation decides even when it is empty', () => {
  const annotations = { 'volume.beta.kubernetes.io/storage-class': '' }
  const claim = { metadata: { annotations }, spec: { storageClassName: 'gold' } }
  expect(usage(persistentVolumeClaimEvaluator, claim)).toEqual({
    'count/persistentvolumeclaims': '1',
    persistentvolumeclaims: '1',
  })
})

test('a volume that could not be expanded is charged what is still allocated', () => {
  const claim = {
    spec: { resources: { requests: { storage: '5Gi' } } },
    status: { allocatedResources: { storage: '10Gi' } },
  }
  expect(usage(persistentVolumeClaimEvaluator, claim)['requests.storage']).toBe('10Gi')
})

test('a load balancer without automatic node ports is charged those it names', () => {
  const spec = {
    type: 'LoadBalancer',
    allocateLoadBalancerNodePorts: false,
    ports: [{ port: 1 }, { port: 2, nodePort: 30_000 }],
  }
  expect(usage(serviceEvaluator, { spec })['services.nodeports']).toBe('1')
})
