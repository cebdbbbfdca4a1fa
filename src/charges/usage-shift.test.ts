import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import { equals, formatResourceList, parseResourceList } from '../quantity/resource-list.ts'
import { decideBatch } from './decide-batch.ts'
import type { Attributes, Evaluators } from './evaluator.ts'
import { QUOTA_EVALUATORS } from './evaluators/table.ts'
import { type Budget, withUsed } from './budget.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { recount } from '../systems/resource-quota/decide/count/recount.ts'
import { type Replacement, shiftUsage } from './usage-shift.ts'

const budgetOf = (quota: ResourceQuota): Budget => quotaBudget(quota, QUOTA_EVALUATORS)

const HARD = ['pods', 'requests.cpu', 'cpu', 'limits.memory', 'count/pods', 'services', 'services.nodeports'] as const
const SCOPES = [[], [], ['BestEffort'], ['NotBestEffort'], ['Terminating'], ['NotTerminating']]
const LARGE = '1000000'

const quotas = fc.array(fc.record({ names: fc.subarray([...HARD]), scopes: fc.constantFrom(...SCOPES) }), {
  minLength: 1,
  maxLength: 4,
})

const podSpec = fc.record({
  cpu: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
  deadline: fc.constantFrom(undefined, 60),
})
const serviceSpec = fc.array(fc.integer({ min: 30_000, max: 30_003 }), { maxLength: 3 })

/** One write: a pod or a service under one of a few names, in place of what is there, or its deletion. */
const write = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  content: fc.oneof(
    podSpec.map((of) => ({ resource: 'pods', object: pod(of) })),
    serviceSpec.map((ports) => ({ resource: 'services', object: service(ports) })),
    fc.constantFrom('pods', 'services').map((resource) => ({ resource, object: undefined })),
  ),
})

type Pod = typeof podSpec extends fc.Arbitrary<infer T> ? T : never
type Quotas = typeof quotas extends fc.Arbitrary<infer T> ? T : never
interface Content {
  readonly spec: object
  readonly status?: object
}

function pod({ cpu, phase, deadline }: Pod): Content {
  const resources = cpu === undefined ? {} : { requests: { cpu: `${cpu}m` }, limits: { memory: '1Mi' } }
  return {
    spec: {
      containers: [{ name: 'c', resources }],
      ...(deadline === undefined ? {} : { activeDeadlineSeconds: deadline }),
    },
    status: { phase },
  }
}

function service(ports: readonly number[]): Content {
  return { spec: { type: 'NodePort', ports: ports.map((nodePort, port) => ({ port: port + 1, nodePort })) } }
}

function quotaObjects(of: Quotas): ResourceQuota[] {
  return of.map(({ names, scopes }, index) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: `q${index}`, namespace: 'ns' },
    spec: { hard: Object.fromEntries(names.map((name) => [name, LARGE])), scopes },
  }))
}

function counted(quota: ResourceQuota, stored: ReadonlyMap<string, KubeObject>): ResourceQuota {
  const objectsOf = ({ resource }: { readonly resource: string }): KubeObject[] =>
    [...stored].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => object)
  return { ...quota, status: recount({ quota, evaluators: QUOTA_EVALUATORS, objectsOf, now: 0 }).status }
}

const replacement = (
  resource: string,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): Replacement => ({ of: { group: '', resource }, object, oldObject })

test('usage that follows each write is the usage that counting finds, whatever comes, changes and goes', () => {
  fc.assert(
    fc.property(quotas, fc.array(write, { maxLength: 15 }), (of, writes) => {
      const stored = new Map<string, KubeObject>()
      const objects = quotaObjects(of)
      let states: readonly Budget[] = objects.map((quota) => budgetOf(counted(quota, stored)))
      for (const { name, content } of writes) {
        const key = `${content.resource}/${name}`
        const old = stored.get(key)
        const object =
          content.object === undefined
            ? undefined
            : {
                apiVersion: 'v1',
                kind: 'Any',
                metadata: { name, namespace: 'ns', resourceVersion: '1' },
                ...content.object,
              }
        const attributes: Attributes = {
          group: '',
          resource: content.resource,
          subresource: '',
          operation: object === undefined ? 'DELETE' : old === undefined ? 'CREATE' : 'UPDATE',
          name,
          namespace: 'ns',
          object: object ?? old ?? { apiVersion: 'v1', kind: 'Any', metadata: {} },
          ...(old === undefined ? {} : { oldObject: old }),
          dryRun: false,
        }
        const { decisions, changed, uncertain } = decideBatch({
          budgets: states,
          requests: [attributes],
          replacements: [replacement(content.resource, object, old)],
          now: 0,
        })
        expect(uncertain).toBe(false)
        if (decisions[0]?.verdict === 'denied') continue
        if (object === undefined) stored.delete(key)
        else stored.set(key, object)
        const used = new Map(changed.map((change) => [change.budget.ref.name, change.used]))
        states = states.map((state) => withUsed(state, used.get(state.ref.name) ?? state.used))
        for (const [index, quota] of objects.entries()) {
          const expected = parseResourceList(counted(quota, stored).status?.used ?? {})
          const actual = states[index]?.used ?? {}
          expect(
            equals(actual, expected),
            `${JSON.stringify(formatResourceList(actual))} of ${quota.metadata.name}`,
          ).toBe(true)
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('a usage that was wrong does not fall below zero', () => {
  const [quota] = quotaObjects([{ names: ['services'], scopes: [] }])
  const state = budgetOf({ ...quota!, status: { hard: { services: '5' }, used: { services: '0' } } })
  const old: KubeObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, ...service([]) }
  const shifts = shiftUsage([state], replacement('services', undefined, old), { now: 0 })
  expect(shifts?.map(({ used }) => formatResourceList(used))).toEqual([{ services: '0' }])
})

test('the usage of an object that cannot be measured is not guessed', () => {
  const [quota] = quotaObjects([{ names: ['requests.cpu'], scopes: [] }])
  const state = budgetOf({ ...quota!, status: { hard: { 'requests.cpu': '5' }, used: { 'requests.cpu': '1' } } })
  const resources = { requests: { cpu: 'many' } }
  const old: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [{ name: 'c', resources }] },
  }
  expect(shiftUsage([state], replacement('pods', undefined, old), { now: 0 })).toBeUndefined()
})

test('a usage that is not known stays unknown, and quotas whose usage stays are not written', () => {
  const names: (typeof HARD)[number][] = ['services', 'services.nodeports']
  const [plain, scoped] = quotaObjects([
    { names, scopes: [] },
    { names, scopes: ['Terminating'] },
  ])
  const known = budgetOf({ ...plain!, status: { hard: plain!.spec!.hard!, used: { services: '1' } } })
  const other = budgetOf({ ...scoped!, status: { hard: plain!.spec!.hard!, used: { services: '1' } } })
  const of = (ports: readonly number[]): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    ...service(ports),
  })
  const shift = (object: KubeObject | undefined, old: KubeObject | undefined) =>
    shiftUsage([known, other], replacement('services', object, old), { now: 0 })?.map(({ budget, used }) => [
      budget.name,
      formatResourceList(used),
    ])
  expect(shift(of([30_000]), undefined)).toEqual([['q0', { services: '2' }]])
  expect(shift(undefined, of([30_000]))).toEqual([['q0', { services: '0' }]])
  expect(shift(of([30_000]), of([]))).toEqual([])
  expect(shift(undefined, undefined)).toEqual([])
})

test('an error that neither an amount nor a scope causes is a bug and not hidden', () => {
  const [quota] = quotaObjects([{ names: ['services'], scopes: [] }])
  const evaluators: Evaluators = {
    of: (resource) => ({
      ...resource,
      names: [],
      handles: () => true,
      counts: () => true,
      usage: () => {
        throw new TypeError('a bug')
      },
    }),
  }
  const state = quotaBudget({ ...quota!, status: { hard: { services: '5' }, used: { services: '1' } } }, evaluators)
  const gone = replacement('services', undefined, { apiVersion: 'v1', kind: 'Service', metadata: {} })
  expect(() => shiftUsage([state], gone, { now: 0 })).toThrow('a bug')
})

test('a batch with a change that cannot be computed says so, and charges what it decided', () => {
  const [quota] = quotaObjects([{ names: ['pods'], scopes: [] }])
  const state = budgetOf({ ...quota!, status: { hard: { pods: '5' }, used: { pods: '1' } } })
  const old: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: 'many' } } }] },
  }
  const attributes: Attributes = {
    group: '',
    resource: 'pods',
    subresource: '',
    operation: 'DELETE',
    name: 'p',
    namespace: 'ns',
    object: old,
    dryRun: false,
  }
  const { uncertain, changed } = decideBatch({
    budgets: [state],
    requests: [attributes],
    replacements: [replacement('pods', undefined, old)],
    now: 0,
  })
  expect({ uncertain, changed }).toEqual({ uncertain: true, changed: [] })
})
