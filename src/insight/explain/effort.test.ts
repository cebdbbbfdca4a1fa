// Covers facts.ts, next-pod.ts, remedy/within-ranges.ts and remedy/free-room.ts: what objects cost that a tenant writes to make explanations dear.
import { expect, test, vi } from 'vitest'
import { app, explained, explainedWith, NO_FACTS, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { costLines, priced } from './costs.ts'
import { explain } from './explain.ts'
import { chainOf, idOf, indexed } from './facts.ts'

const TEMPLATE = templateOf([app('web', { cpu: '1' })])

/** ReplicaSets, of which each says that the one before has made it. */
function chainOfSets(length: number): readonly KubeObject[] {
  const sets: KubeObject[] = []
  for (let at = 0; at < length; at++)
    sets.push(object('apps/v1', 'ReplicaSet', `r${at}`, { replicas: 0, template: TEMPLATE }, sets.at(-1)))
  return sets
}

/** How many owners are looked up where each of these objects asks for its owners. */
function lookUps(objects: readonly KubeObject[]): number {
  let count = 0
  class Counting extends Map<string, KubeObject> {
    override get(uid: string): KubeObject | undefined {
      count++
      return super.get(uid)
    }
  }
  const byUid = new Counting(indexed(new Map([['replicasets.apps', objects]])).byUid)
  for (const one of objects) chainOf(one, { byUid })
  return count
}

test('each object looks at few owners, however long the chains are that a tenant writes [security/dashboard]', () => {
  const [some, twice] = [lookUps(chainOfSets(1_000)), lookUps(chainOfSets(2_000))]
  expect(twice).toBeLessThan(2.1 * some)
  expect(twice).toBeLessThan(20_000)
})

test('owners are known up to the top of real chains, and a circle has an end', () => {
  const sets = chainOfSets(6)
  const facts = indexed(new Map([['replicasets.apps', sets]]))
  const [first, last] = [sets[0], sets.at(-1)]
  if (first === undefined || last === undefined) throw new Error('there are no sets')
  expect(chainOf(last, facts).map((one) => idOf(one).name)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5'])
  const { metadata } = object('apps/v1', 'ReplicaSet', 'r0', {}, last)
  const circle = indexed(new Map([['replicasets.apps', [{ ...first, metadata }, ...sets.slice(1)]]]))
  expect(chainOf(last, circle).map((one) => idOf(one).name)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5'])
})

test('of owners that own each other each is named once, and a warning says so [security/dashboard]', () => {
  const [a, b] = ['a', 'b'].map((name) => object('apps/v1', 'ReplicaSet', name, { replicas: 0 }))
  if (a === undefined || b === undefined) throw new Error('there are no sets')
  const owned = (one: KubeObject, owner: KubeObject) =>
    object('apps/v1', 'ReplicaSet', one.metadata.name ?? '', one['spec'] as JsonObject, owner)
  const sets = [owned(a, b), owned(b, a)]
  const none = quota({ pods: '1' }, { pods: '0' })
  const said = (target: KubeObject, all: readonly KubeObject[]) => {
    const { chain, warnings } = explainedWith(target, [['replicasets.apps', all]], none)
    return [chain.map(({ name }) => name), warnings]
  }
  // The object that is explained is read apart from the list.
  expect(said(owned(a, b), sets)).toEqual([
    ['b', 'a'],
    [{ type: 'owners', text: 'these own each other: ReplicaSet b, ReplicaSet a' }],
  ])
  expect(said(owned(a, a), [owned(a, a)])).toEqual([['a'], [{ type: 'owners', text: 'ReplicaSet a owns itself' }]])
})

/** How often the names of so many containers are read where a cost is told container by container. */
function namesRead(count: number): number {
  let reads = 0
  const containers = Array.from({ length: count }, (_, at): JsonObject => {
    const counting = { ...app(`c${at}`, { cpu: '1m', memory: '1' }) }
    const get = (): string => {
      reads++
      return `c${at}`
    }
    return Object.defineProperty(counting, 'name', { enumerable: true, get })
  })
  const next = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' }, spec: { containers } }
  const resource = { group: '', resource: 'pods' }
  const demand = { next, resource, wanted: 1, existing: 0, maker: undefined, refusal: undefined }
  const lines = costLines(priced(demand, NO_FACTS), ['requests.cpu', 'requests.memory'])
  expect(lines.map(({ sources }) => [sources.length, sources[0]?.from])).toEqual([
    [count, 'spec'],
    [count, 'spec'],
  ])
  return reads
}

test('each container of a pod is looked at few times, however many there are [security/dashboard]', () => {
  expect(namesRead(1_000)).toBeLessThan(2.1 * namesRead(500))
})

interface Said {
  readonly text: string
  readonly command: string
}

/** What is said of a pod with so many containers below a LimitRange that has a minimum of cpu and of so many other resources. */
const withinRange = (containers: number, names: number): readonly Said[] => belowRange(containers, names).within

function belowRange(containers: number, names: number): { readonly within: readonly Said[]; readonly summary: string } {
  const min = Object.fromEntries(Array.from({ length: names }, (_, at) => [`example.com/r${at}`, '1']))
  const { remedies, summary } = explained({
    template: Array.from({ length: containers }, (_, at) => app(`c${at}`, { cpu: '1m' })),
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.cpu': '10' }, { 'requests.cpu': '0' }),
    more: {
      limitRanges: [
        object('v1', 'LimitRange', 'least', { limits: [{ type: 'Container', min: { ...min, cpu: '10m' } }] }),
      ],
    },
  })
  const within = remedies.flatMap(({ type, text, command = '' }) => (type === 'within' ? [{ text, command }] : []))
  return { within, summary }
}

test('few containers are set to what LimitRanges allow, and a sentence names few of them [security/dashboard]', () => {
  const [all] = withinRange(100, 0)
  expect(all?.text).toMatch(
    /^set cpu requests of c0 to 10m, .* to 10m and 80 more amounts, which the LimitRanges allow$/,
  )
  expect(all?.command.match(/10m/g)).toHaveLength(100)
  expect(withinRange(101, 0)).toEqual([])
  expect(withinRange(50, 19)).toHaveLength(1)
  expect(withinRange(50, 20)).toEqual([])
})

/** The summary of a pod with so many containers that costs a custom quota too much, by their memory. */
function ofCustomQuota(containers: number): string {
  const source = { apiVersion: 'v1', kind: 'Pod', path: '.spec.containers[*].resources.requests.memory' }
  const counted = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'loads', namespace: 'shop', generation: 1 },
    spec: { limit: '10Mi', sources: [source] },
    status: {
      observedGeneration: 1,
      usage: { used: '0' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }],
    },
  } as unknown as CustomQuota
  const template = Array.from({ length: containers }, (_, at) => app(`c${at}`, { memory: '1Mi' }))
  const [first] = template
  if (first === undefined) throw new Error('no container')
  const large = [app('large', { memory: '90Mi' }), ...template.slice(1)]
  const pods = quota({ pods: '9' }, { pods: '0' })
  return explained({ template: large, replicas: 1, pods: [], quota: pods, more: { customQuotas: [counted] } }).summary
}

/** The summary of a pod with so many containers that say nothing of the memory that a quota demands. */
const withoutValues = (containers: number): string =>
  explained({
    template: Array.from({ length: containers }, (_, at) => app(`c${at}`)),
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.memory': '10Gi' }, { 'requests.memory': '0' }),
  }).summary

test('a remedy that would be too large is said to be left out', () => {
  expect(belowRange(100, 0).summary).not.toContain('left out')
  expect(belowRange(101, 0).summary).toMatch(/; left out: the amounts for 101 containers that the LimitRanges allow$/)
  expect(belowRange(50, 20).summary).toMatch(/; left out: the amounts for 50 containers that the LimitRanges allow$/)
  expect(withoutValues(100)).not.toContain('left out')
  expect(withoutValues(101)).toMatch(/; left out: the 101 amounts that containers lack$/)
  expect(ofCustomQuota(10)).not.toContain('left out')
  expect(ofCustomQuota(21)).toMatch(/; left out: smaller amounts for 21 containers$/)
})

/** How many amounts are multiplied to explain a StatefulSet with so many templates of claims, beside ten pods that together give too little. */
function multiplied(templates: number): number {
  const set = object('apps/v1', 'StatefulSet', 'db', {
    replicas: 1,
    selector: {},
    template: templateOf([app('db', { cpu: '1000' })]),
    volumeClaimTemplates: Array.from({ length: templates }, (_, at) => ({
      metadata: { name: `c${at}` },
      spec: { resources: { requests: { storage: '1' } } },
    })),
  })
  const pods = Array.from({ length: 10 }, (_, at) =>
    object('v1', 'Pod', `p${at}`, { containers: [app('c', { cpu: '1m' })] }),
  )
  const objects = new Map([
    ['pods', pods],
    ['statefulsets.apps', [set]],
  ])
  const quotas = [
    quota({ 'requests.cpu': '1', 'requests.storage': '1Gi' }, { 'requests.cpu': '10m', 'requests.storage': '0' }),
  ]
  const spy = vi.spyOn(Quantity.prototype, 'mul')
  try {
    const resource = { group: 'apps', resource: 'statefulsets' }
    const { verdict } = explain({ object: set, isStored: true }, resource, {
      ...NO_FACTS,
      quotas,
      objects,
      ...indexed(objects),
    })
    expect(verdict).toBe('blocked')
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}

test('all that a workload demands is walked few times, however many others could give room [security/dashboard]', () => {
  const [some, twice] = [multiplied(100), multiplied(200)]
  expect(some).toBeGreaterThan(0)
  expect(twice).toBeLessThan(2.1 * some)
  expect(twice).toBeLessThan(10 * 200)
})

/** How often names are compared to explain a StatefulSet with so many templates of claims, beside so many claims. */
function comparedNames(count: number): number {
  const set = object('apps/v1', 'StatefulSet', 'db', {
    replicas: 1,
    selector: {},
    template: TEMPLATE,
    volumeClaimTemplates: Array.from({ length: count }, (_, at) => ({ metadata: { name: `c${at}` }, spec: {} })),
  })
  const claims = Array.from({ length: count }, (_, at) => object('v1', 'PersistentVolumeClaim', `c${at}-db-0`, {}))
  const objects = new Map([
    ['pods', []],
    ['statefulsets.apps', [set]],
    ['persistentvolumeclaims', claims],
  ])
  const spy = vi.spyOn(String.prototype, 'startsWith')
  try {
    const resource = { group: 'apps', resource: 'statefulsets' }
    const { wanted } = explain({ object: set, isStored: true }, resource, { ...NO_FACTS, objects, ...indexed(objects) })
    expect(wanted.filter(({ existing }) => existing === 1)).toHaveLength(count)
    return spy.mock.calls.length
  } finally {
    spy.mockRestore()
  }
}

test('claims are found by their names, and not by a look at all for each template [security/dashboard]', () => {
  expect(comparedNames(200)).toBeLessThan(20 * 200)
})
