// Covers decide.ts and refusal-text.ts with the budgets and limited resources of ResourceQuotas.
import { describe, expect, test } from 'vitest'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { LimitedResource } from '../systems/resource-quota/api/configuration.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { decide, type Decision } from './decide.ts'
import type { Attributes } from './evaluator.ts'
import { QUOTA_EVALUATORS } from './evaluators/table.ts'
import { limitedTo } from '../systems/resource-quota/decide/limited-resources.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { refusalError, refusalText } from './refusal-text.ts'

const quota = (name: string, hard: Record<string, string>, more: Partial<ResourceQuota> = {}): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name, namespace: 'ns' },
  status: { hard, used: Object.fromEntries(Object.keys(hard).map((one) => [one, '0'])) },
  ...more,
})
const objectOf = (content: JsonObject, metadata: JsonObject = { name: 'p' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  ...content,
})
const request = (content: JsonObject, more: Partial<Attributes> = {}): Attributes => ({
  group: '',
  resource: 'pods',
  subresource: '',
  operation: 'CREATE',
  name: 'p',
  namespace: 'ns',
  object: objectOf(content),
  dryRun: false,
  ...more,
})
const stored = (content: JsonObject): KubeObject => objectOf(content, { name: 'p', resourceVersion: '1' })
const decided = (
  attributes: Attributes,
  quotas: readonly ResourceQuota[],
  limitedResources: readonly LimitedResource[] = [],
): Decision =>
  decide({
    budgets: quotas.map((one) => quotaBudget(one, QUOTA_EVALUATORS)),
    attributes,
    coverage: limitedTo(limitedResources, QUOTA_EVALUATORS),
    now: 0,
  })
const textOf = (decision: Decision): string =>
  decision.verdict === 'denied' ? refusalText(decision, 'all') : decision.verdict

const cpu = (amount: string): JsonObject => ({ containers: [{ name: 'c', resources: { requests: { cpu: amount } } }] })
const UNMEASURABLE = { spec: cpu('many') }

describe('a request whose cost cannot be computed', () => {
  test('is the server’s failure, with what is wrong with the amount', () => {
    const attributes = request(UNMEASURABLE)
    const decision = decided(attributes, [quota('q', { pods: '1' })])
    expect(decision).toMatchObject({ verdict: 'denied', refusals: [{ reason: 'unmeasurable', code: 500 }] })
    const error = decision.verdict === 'denied' ? refusalError(attributes, decision, 'first') : undefined
    expect(error?.status).toMatchObject({ code: 500, reason: 'InternalError' })
    expect(error?.message).toMatch(/^(Internal error occurred: )?quantities must match the regular expression/)
  })

  test('also fails where only a scope has to look at it', () => {
    const scoped = quota('q', { pods: '1' }, { spec: { scopes: ['BestEffort'] } })
    expect(textOf(decided(request(UNMEASURABLE), [scoped]))).toMatch(
      /^error matching scopes of quota q, err: quantities/,
    )
  })

  test('charges its whole cost to a quota with scopes where nobody can say whether the old object was in them', () => {
    const scoped = quota('q', { pods: '1' }, { spec: { scopes: ['NotBestEffort'] } })
    const attributes = request(
      { spec: cpu('1') },
      { operation: 'UPDATE', subresource: 'resize', oldObject: stored({ spec: cpu('1') }) },
    )
    expect(decided(attributes, [scoped])).toEqual({ verdict: 'admitted', charges: [] })
    const wrong = { ...attributes, oldObject: stored(UNMEASURABLE) }
    expect(textOf(decided(wrong, [scoped]))).toMatch(/^quantities must match/)
  })
})

describe('an update', () => {
  const services = (type: string, oldType: string, oldMetadata: JsonObject): Attributes =>
    request(
      { spec: { type, ports: [{}] } },
      {
        resource: 'services',
        operation: 'UPDATE',
        oldObject: objectOf({ spec: { type: oldType, ports: [{}] } }, oldMetadata),
      },
    )

  test('costs what is more than before', () => {
    const limits = quota('q', { services: '0', 'services.nodeports': '0' })
    const decision = decided(services('NodePort', 'ClusterIP', { name: 's', resourceVersion: '1' }), [limits])
    expect(textOf(decision)).toBe(
      'exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=0, limited: services.nodeports=0',
    )
  })

  test('that creates the object costs the whole of it', () => {
    const limits = quota('q', { services: '0' })
    for (const metadata of [{ name: 's' }, { name: 's', resourceVersion: '' }])
      expect(textOf(decided(services('ClusterIP', 'ClusterIP', metadata), [limits]))).toContain('requested: services=1')
  })

  test('that moves an object into a scope costs that quota the whole, and others nothing', () => {
    const scoped = quota('q', { pods: '0' }, { spec: { scopes: ['Terminating'] } })
    const attributes = request(
      { spec: { activeDeadlineSeconds: 5, ...cpu('1') } },
      { operation: 'UPDATE', oldObject: stored({ spec: cpu('1') }) },
    )
    expect(textOf(decided(attributes, [quota('all', { pods: '0' }), scoped]))).toBe(
      'exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    )
  })
})

describe('a resource that the configuration limits', () => {
  const gpu: JsonObject = { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] }
  const limited = (more: Partial<LimitedResource>): LimitedResource => ({
    resource: 'pods',
    matchContains: ['gpu'],
    matchScopes: [],
    ...more,
  })
  const high = { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }

  test('can be used only where a quota covers it', () => {
    const attributes = request({ spec: gpu })
    expect(textOf(decided(attributes, [], [limited({})]))).toBe(
      'insufficient quota to consume: requests.example.com/gpu',
    )
    const covering = quota('q', { 'requests.example.com/gpu': '1' })
    expect(textOf(decided(attributes, [covering], [limited({})]))).toBe('admitted')
  })

  test.each<[resource: string, group: string, part: string, none: JsonObject, some: JsonObject]>([
    ['services', '', 'loadbalancers', { type: 'NodePort', ports: [{}] }, { type: 'LoadBalancer' }],
    ['services', '', 'nodeports', { type: 'ClusterIP', ports: [{}] }, { type: 'NodePort', ports: [{}] }],
    [
      'persistentvolumeclaims',
      '',
      'requests.storage',
      { resources: { requests: { storage: '0' } } },
      { resources: { requests: { storage: '1' } } },
    ],
    ['pods', '', 'requests.cpu', cpu('0'), cpu('1m')],
    ['pods', '', 'gpu', { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '0' } } }] }, gpu],
    [
      'resourceclaims',
      'resource.k8s.io',
      'devices',
      { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'fast', count: 0 } }] } },
      { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'fast', count: 1 } }] } },
    ],
  ])('is not consumed by %s of %j that cost nothing of %s', (resource, apiGroup, part, none, some) => {
    const entries = [limited({ resource, apiGroup, matchContains: [part] })]
    const asked = (spec: JsonObject): Attributes => request({ spec }, { resource, group: apiGroup })
    expect(textOf(decided(asked(none), [], entries))).toBe('admitted')
    expect(textOf(decided(asked(some), [], entries))).toMatch(/^insufficient quota to consume: .*/)
  })

  test('is limited for its own resource and group alone', () => {
    for (const other of [{ resource: 'services' }, { apiGroup: 'example.com' }, { matchContains: null }])
      expect(textOf(decided(request({ spec: gpu }), [], [limited(other)]))).toBe('admitted')
  })

  test('names everything that is not covered, and the scopes as Go prints them', () => {
    const attributes = request({ spec: { ...gpu, priorityClassName: 'high' } })
    const entries = [limited({ matchContains: ['pods', 'gpu'], matchScopes: [high] })]
    expect(textOf(decided(attributes, [], entries))).toBe(
      'insufficient quota to consume: count/pods,pods,requests.example.com/gpu; insufficient quota to match these scopes: [{PriorityClass In [high higher]}]',
    )
    const without = [limited({ matchContains: [], matchScopes: [{ scopeName: 'BestEffort' }, high] })]
    expect(textOf(decided(attributes, [], without))).toBe(
      'insufficient quota to match these scopes: [{BestEffort  []} {PriorityClass In [high higher]}]',
    )
  })

  test('has a scope covered by a quota that names it, also where the object does not meet the quota’s other scopes, as upstream', () => {
    const attributes = request({ spec: { priorityClassName: 'high', ...cpu('1') } })
    const entries = [limited({ matchContains: [], matchScopes: [high] })]
    const scopedBy = (more: readonly string[]) =>
      quota('q', { pods: '0' }, { spec: { scopes: more, scopeSelector: { matchExpressions: [high] } } })
    expect(textOf(decided(attributes, [scopedBy(['BestEffort'])], entries))).toBe('admitted')
    expect(textOf(decided(attributes, [scopedBy(['NotBestEffort'])], entries))).toMatch(/^exceeded quota: q, [^;]*$/)
  })

  test('is covered by a quota that cannot be charged now: its own reason alone is given', () => {
    const attributes = request({ spec: gpu })
    const hard = { 'requests.cpu': '1', 'requests.example.com/gpu': '1' }
    expect(textOf(decided(attributes, [quota('q', hard)], [limited({})]))).toBe(
      'failed quota: q: must specify requests.cpu for: c',
    )
    const { 'requests.example.com/gpu': devices } = hard
    const unknown = quota('q', {}, { status: { hard: { 'requests.example.com/gpu': devices }, used: {} } })
    expect(textOf(decided(attributes, [unknown], [limited({})]))).toBe(
      'status unknown for quota: q, resources: requests.example.com/gpu',
    )
  })

  test('limits no scope where one of its scopes cannot be evaluated, as upstream', () => {
    const broken = { scopeName: 'PriorityClass', operator: 'In' }
    const attributes = request({ spec: { priorityClassName: 'high' } })
    expect(textOf(decided(attributes, [], [limited({ matchContains: [], matchScopes: [high, broken] })]))).toBe(
      'admitted',
    )
  })
})

describe('a refusal', () => {
  test('because usage is not known yet names all that the quota counts of the kind', () => {
    const unknown = quota('q', {}, { status: { hard: { pods: '5', cpu: '1', secrets: '1' }, used: { cpu: '0' } } })
    expect(textOf(decided(request({ spec: cpu('1') }), [unknown]))).toBe(
      'status unknown for quota: q, resources: cpu,pods',
    )
  })

  test('because containers do not say what they need names them by resource, sorted', () => {
    const spec = { containers: [{ name: 'b' }, { name: 'a', resources: { limits: { cpu: '1' } } }, 'nonsense'] }
    const demanding = quota('q', {
      'requests.memory': '1',
      'limits.cpu': '1',
      pods: '9',
      'limits.ephemeral-storage': '1',
    })
    expect(textOf(decided(request({ spec }), [demanding]))).toBe(
      'failed quota: q: must specify limits.cpu for: b; requests.memory for: a,b',
    )
  })

  test('names the resources that are exceeded in order, and only the first quota where Kubernetes’ text is asked for', () => {
    const attributes = request({ spec: cpu('2') })
    const decision = decided(attributes, [
      quota('a', { 'requests.cpu': '1', cpu: '1', pods: '9' }),
      quota('b', { pods: '0' }),
    ])
    const first =
      'exceeded quota: a, requested: cpu=2,requests.cpu=2, used: cpu=0,requests.cpu=0, limited: cpu=1,requests.cpu=1'
    expect(decision.verdict === 'denied' && refusalText(decision, 'first')).toBe(first)
    expect(textOf(decision)).toBe(`${first}; exceeded quota: b, requested: pods=1, used: pods=0, limited: pods=0`)
  })

  test('of amounts below zero names them all', () => {
    const spec = { containers: [{ name: 'c', resources: { requests: { memory: '-1' } } }] }
    expect(textOf(decided(request({ spec }), [quota('q', { secrets: '1' })]))).toBe(
      'quota usage is negative for resource(s): memory,requests.memory',
    )
  })

  test.each([
    [{ name: 'asked', object: objectOf({}, { name: 'own', generateName: 'made-' }) }, 'asked'],
    [{ name: '', object: objectOf({}, { name: 'own', generateName: 'made-' }) }, 'own'],
    [{ name: '', object: objectOf({}, { generateName: 'made-' }) }, 'made-'],
    [{ name: '', object: objectOf({}, {}) }, 'Unknown'],
  ])('calls the object what it is called: case %#', (parts, name) => {
    const attributes = request({}, parts)
    const decision = decided(attributes, [quota('q', { pods: '0' })])
    expect(decision.verdict === 'denied' && refusalError(attributes, decision, 'first').status).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `pods "${name}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0`,
    })
  })
})
