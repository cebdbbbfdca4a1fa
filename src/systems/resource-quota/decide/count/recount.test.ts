import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../../test/load-vectors.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { isObject, type JsonObject, type KubeObject } from '../../../../machinery/object.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { podEvaluator } from '../../../../charges/evaluators/pod.ts'
import { quotaBudget } from '../quota-budget.ts'
import {
  changesUsage,
  countedResources,
  isUrgent,
  type QuotaRecountInput,
  recount as recountBy,
  type Recount,
} from './recount.ts'

const evaluators = QUOTA_EVALUATORS
const recount = (input: Omit<QuotaRecountInput, 'evaluators'>): Recount => recountBy({ ...input, evaluators })

const FILE = 'kubernetes/controller.json'

type Raw = Pick<ResourceQuota, 'metadata' | 'spec' | 'status'>

interface Sync {
  readonly name: string
  readonly quota: Raw
  readonly items: readonly JsonObject[]
  readonly listErrorFor?: string
  readonly observedError?: string
  readonly observedStatus?: { hard: Record<string, string>; used: Record<string, string> }
  readonly observedStatusWritten: boolean
}

interface Priority {
  readonly name: string
  readonly quota: Raw
  readonly goesToPriorityQueue: boolean
}

const data = vectors<{ sync: Sync[]; priority: Priority[] }>(FILE)

const asQuota = (raw: Raw): ResourceQuota => ({ apiVersion: 'v1', kind: 'ResourceQuota', ...raw })
const object = (raw: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'Any', metadata: {}, ...raw })

/** The items of a case do not say their kinds; their specs do. */
function resourceOf(item: JsonObject): string {
  const spec = isObject(item['spec']) ? item['spec'] : {}
  if ('containers' in spec) return 'pods'
  if ('ports' in spec) return 'services'
  return 'resources' in spec ? 'persistentvolumeclaims' : 'secrets'
}

const served = new Set(['pods', 'services', 'persistentvolumeclaims', 'secrets'])

eachCase(
  `${FILE}#sync`,
  data.sync,
  (value) => value.name,
  (value) => {
    const result = recount({
      quota: asQuota(value.quota),
      objectsOf: (of) =>
        served.has(qualified(of))
          ? value.items.filter((item) => resourceOf(item) === of.resource).map(object)
          : undefined,
      now: 0,
      ...(value.listErrorFor === undefined
        ? {}
        : { evaluatorErrors: new Map([[value.listErrorFor, 'error listing']]) }),
    })
    expect(result.changed).toBe(value.observedStatusWritten)
    if (value.observedStatus !== undefined) expect(result.status).toEqual(value.observedStatus)
    expect(result.errors.length > 0).toBe(value.observedError !== undefined)
  },
)

eachCase(
  `${FILE}#priority`,
  data.priority,
  (value) => value.name,
  (value) => {
    expect(isUrgent(asQuota(value.quota), evaluators, (of) => served.has(qualified(of)))).toBe(
      value.goesToPriorityQueue,
    )
  },
)

const quota = (hard: Record<string, string>, status?: ResourceQuota['status']): ResourceQuota =>
  asQuota({ metadata: { name: 'q', namespace: 'ns' }, spec: { hard }, ...(status === undefined ? {} : { status }) })

const widgets: GroupResource = { group: 'example.com', resource: 'widgets' }

test('a quota watches the resources that its limits name', () => {
  const resources = countedResources(
    quota({
      'requests.cpu': '1',
      'count/widgets.example.com': '1',
      'gold.storageclass.storage.k8s.io/requests.storage': '1',
      'limits.nvidia.com/gpu': '1',
    }),
    evaluators,
  )
  expect(resources.map(qualified).toSorted()).toEqual(['persistentvolumeclaims', 'pods', 'widgets.example.com'])
})

test('a count of what is not served has no usage until it is served', () => {
  const input = { quota: quota({ 'count/widgets.example.com': '5' }), now: 0 }
  expect(recount({ ...input, objectsOf: () => undefined }).status.used).toEqual({})
  expect(recount({ ...input, objectsOf: () => [object({}), object({})] }).status.used).toEqual({
    'count/widgets.example.com': '2',
  })
})

test('a resource that cannot be listed keeps its usage', () => {
  const status = { hard: { pods: '5', secrets: '5' }, used: { pods: '3', secrets: '3' } }
  const evaluatorErrors = new Map([['pods', 'pods: timed out']])
  const result = recount({
    quota: quota({ pods: '5', secrets: '5' }, status),
    objectsOf: () => [],
    now: 0,
    evaluatorErrors,
  })
  expect(result).toEqual({
    status: { hard: { pods: '5', secrets: '5' }, used: { pods: '3', secrets: '0' } },
    used: { pods: Quantity.parse('3'), secrets: Quantity.zero },
    changed: true,
    errors: ['pods: timed out'],
  })
})

test('a limit that is only spelled differently does not change the status', () => {
  const status = { hard: { cpu: '2000m' }, used: { cpu: '0' } }
  expect(recount({ quota: quota({ cpu: '2' }, status), objectsOf: () => [], now: 0 }).changed).toBe(false)
})

const pods: GroupResource = { group: '', resource: 'pods' }
const services: GroupResource = { group: '', resource: 'services' }
const claims: GroupResource = { group: '', resource: 'persistentvolumeclaims' }
const nodePorts = (count: number): JsonObject => ({
  spec: { type: 'NodePort', ports: Array.from({ length: count }, (_, port) => ({ port })) },
})

test.each<[string, GroupResource, JsonObject, JsonObject, boolean]>([
  ['a pod that finishes', pods, { status: { phase: 'Running' } }, { status: { phase: 'Succeeded' } }, true],
  ['a pod that gets a deadline', pods, {}, { spec: { activeDeadlineSeconds: 5 } }, true],
  ['a pod that starts', pods, { status: { phase: 'Pending' } }, { status: { phase: 'Running' } }, false],
  ['a service that gives up a port', services, nodePorts(2), nodePorts(1), true],
  [
    'a service whose label changes',
    services,
    nodePorts(1),
    { ...nodePorts(1), metadata: { labels: { a: 'b' } } },
    false,
  ],
  ['a claim that is bound', claims, { status: { phase: 'Pending' } }, { status: { phase: 'Bound' } }, false],
  ['a claim that moves to another class', claims, {}, { status: { currentVolumeAttributesClassName: 'gold' } }, true],
  ['a widget that changes', widgets, {}, { spec: { size: 2 } }, false],
])('%s', (_, of, old, changed, expected) => {
  const evaluator = evaluators.of(of)
  if (evaluator === undefined) throw new Error(`no evaluator for ${of.resource}`)
  expect(changesUsage(evaluator, object(old), object(changed), { now: 0 })).toBe(expected)
})

describe('an object that cannot be measured', () => {
  const wrong = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: 'many' } } }] } }

  test('keeps the usage it had, and is reported', () => {
    const status = { hard: { pods: '5', secrets: '5' }, used: { pods: '3', secrets: '3' } }
    const objectsOf = ({ resource }: GroupResource) => [object(resource === 'pods' ? wrong : {})]
    const result = recount({ quota: quota({ pods: '5', secrets: '5' }, status), objectsOf, now: 0 })
    expect(result.status.used).toEqual({ pods: '3', secrets: '1' })
    expect(result.errors).toEqual([expect.stringMatching(/^quantities must match/)])
  })

  test('keeps the usage it had also where another kind, which can be counted, counts towards it', () => {
    const hard = { 'requests.example.com/gpu': '5' }
    const claim = {
      metadata: { namespace: 'ns' },
      spec: { devices: { requests: [{ exactly: { deviceClassName: 'gpu', count: 1 } }] } },
    }
    const lookup = {
      find: () => object({ spec: { extendedResourceName: 'example.com/gpu' } }),
      list: () => [],
    }
    const count = (pod: JsonObject): Readonly<Record<string, string>> => {
      const objectsOf = ({ resource }: GroupResource) => [object(resource === 'pods' ? pod : claim)]
      const status = { hard, used: { 'requests.example.com/gpu': '4' } }
      return recount({ quota: quota(hard, status), objectsOf, now: 0, lookup }).status.used
    }
    const asking = { spec: { containers: [{ resources: { requests: { 'example.com/gpu': '2' } } }] } }
    expect(count(asking)).toEqual({ 'requests.example.com/gpu': '3' })
    expect(count(wrong)).toEqual({ 'requests.example.com/gpu': '4' })
  })

  test('may change the usage when it changes', () => {
    expect(changesUsage(podEvaluator, object(wrong), object({}), { now: 0 })).toBe(true)
  })

  test('is a bug where anything else goes wrong', () => {
    const objectsOf = () => {
      throw new TypeError('a bug')
    }
    expect(() => recount({ quota: quota({ pods: '5' }), objectsOf, now: 0 })).toThrow('a bug')
  })
})

describe('a quota without a spec or a status', () => {
  const bare: ResourceQuota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' } }

  test('counts nothing, and its status is to be written', () => {
    expect(recount({ quota: bare, objectsOf: () => [], now: 0 })).toEqual({
      status: { hard: {}, used: {} },
      used: {},
      changed: true,
      errors: [],
    })
    expect(countedResources(bare, evaluators)).toEqual([])
    expect(isUrgent(bare, evaluators, () => true)).toBe(false)
  })

  test('whose usage alone is missing is to be written', () => {
    const status = { hard: { secrets: '1' } }
    expect(recount({ quota: quota({ secrets: '1' }, status), objectsOf: () => undefined, now: 0 }).changed).toBe(true)
  })

  test('has empty names where it has none', () => {
    const ref = { group: '', kind: 'ResourceQuota', namespace: '', name: '' }
    const unnamed = quotaBudget({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: {} }, evaluators)
    expect(unnamed).toMatchObject({ ref, hard: {}, used: {}, rule: { names: [], scopes: [] } })
    const metadata = { name: 'q', namespace: 'ns' }
    const named = quotaBudget({ apiVersion: 'v1', kind: 'ResourceQuota', metadata }, evaluators)
    expect(named.ref).toEqual({ ...ref, ...metadata })
  })
})
