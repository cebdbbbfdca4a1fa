import { afterEach, expect, test, vi } from 'vitest'
import { app, explained, explainedWith, object, quota } from '../../../test/insight/explained.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { podEvaluator } from '../../charges/evaluators/pod.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { explanationText } from './explanation-text.ts'
import { type Facts, indexed } from './facts.ts'
import { MOST_LIMITS } from './holders.ts'

const CPU = { cpu: '100m', memory: '1Mi' }
const LIMITS = ['pods', 'requests.cpu', 'requests.memory']
const PODS = 12
const NO_FACTS: Omit<Facts, 'quotas' | 'objects' | 'byUid' | 'byMaker'> = {
  namespace: 'shop',
  limitRanges: [],
  customQuotas: [],
  karmadaQuotas: [],
  namespaceLabels: {},
  classes: new Map(),
  kubectl: 'kubectl -n shop',
  autoscalers: [],
  failures: [],
  notSeen: [],
  now: 0,
}

afterEach(() => {
  vi.restoreAllMocks()
})

/** Quotas that are full with these limits. */
const full = (count: number, names: readonly string[] = LIMITS): readonly ResourceQuota[] =>
  Array.from({ length: count }, (_, index) => {
    const amounts = Object.fromEntries(names.map((name) => [name, '1']))
    return quota(amounts, amounts, { name: `full-${String(index).padStart(3, '0')}` })
  })

const lonePods = (): readonly KubeObject[] =>
  Array.from({ length: PODS }, (_, index) => object('v1', 'Pod', `lone-${index}`, { containers: [app('c', CPU)] }))

/** A Deployment without room beside pods of nobody. */
function besidePods(quotas: readonly ResourceQuota[]): Explanation {
  const template = { spec: { containers: [app('c', CPU)] } }
  const deployment = object('apps/v1', 'Deployment', 'web', { replicas: 2, template })
  const objects: Parameters<typeof explainedWith>[1] = [
    ['pods', lonePods()],
    ['deployments.apps', [deployment]],
  ]
  return explainedWith(deployment, objects, quota({}, {}), { quotas })
}

/** A pod that nobody has made yet, beside pods of which some cannot be read. */
function besideUnseen(quotas: readonly ResourceQuota[]): Explanation {
  const objects = new Map([['pods', lonePods()]])
  const target = { object: object('v1', 'Pod', 'new', { containers: [app('c', CPU)] }), isStored: false }
  const notSeen = [{ resource: 'pods', reason: 'forbidden' }]
  const facts: Facts = { ...NO_FACTS, quotas, objects, ...indexed(objects), notSeen }
  return explain(target, { group: '', resource: 'pods' }, facts)
}

/** A rollout without room, whose pods hold the room. */
const ofRollout = (quotas: readonly ResourceQuota[]): Explanation =>
  explained({
    template: [app('c', CPU)],
    replicas: PODS + 2,
    pods: Array.from({ length: PODS }, () => [app('c', CPU), app('injected', CPU)]),
    quota: quota({}, {}),
    more: { quotas },
  })

test.for<readonly [string, (quotas: readonly ResourceQuota[]) => Explanation]>([
  ['pods of nobody', besidePods],
  ['pods of which some cannot be read', besideUnseen],
  ['the pods of a rollout', ofRollout],
])('%s are measured once in an explanation, however many quotas are full', ([, run]) => {
  const measured = vi.spyOn(podEvaluator, 'usage')
  const { verdict, holders, remedies } = run(full(40))
  expect([verdict, holders.length > 0, remedies.length > 0]).toEqual(['blocked', true, true])
  const stored = measured.mock.calls.flatMap(([{ metadata }]) => metadata.uid ?? []).filter((uid) => uid !== 'Pod/new')
  expect(new Set(stored).size).toBe(PODS)
  expect(stored).toHaveLength(PODS)
})

test.for([1, 10, 11, 20, 21, 40])(
  'of %i full quotas an explanation names some, and says how many it leaves out',
  (count) => {
    const { holders, remedies, summary, causes } = besidePods(full(count))
    expect(causes).toHaveLength(count)
    const named = new Set(holders.map(({ budget, resource }) => `${budget} ${resource}`)).size
    const raised = remedies.filter(({ type }) => type === 'raise').length
    const [, limits = '0'] = /the holders of (\d+) more limits/.exec(summary) ?? []
    const [, quotas = '0'] = /the remedies for (\d+) more quotas/.exec(summary) ?? []
    expect(named).toBe(Math.min(count * LIMITS.length, MOST_LIMITS))
    expect(named + Number(limits)).toBe(count * LIMITS.length)
    expect(raised).toBeLessThanOrEqual(20)
    expect(raised + Number(quotas)).toBe(count)
    expect(summary.includes('left out')).toBe(count > 10)
  },
)

test('the holders of quotas of several kinds with one name are told apart', () => {
  const claim = { group: '', version: 'v1', kind: 'Pod', namespace: 'shop', name: 'large', uid: 'other', usage: '7' }
  const counted = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'full-000', namespace: 'shop', generation: 1 },
    spec: { limit: '7', sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }] },
    status: {
      observedGeneration: 1,
      usage: { used: '7' },
      claims: [claim],
      conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }],
    },
  } as unknown as CustomQuota
  const explanation = explained({
    template: [app('c', CPU)],
    replicas: 2,
    pods: [[app('c', CPU)]],
    quota: quota({}, {}),
    more: { quotas: full(1, ['pods']), customQuotas: [counted] },
  })
  expect(explanation.holders.map(({ budgetKind, budget, owner }) => [budgetKind, budget, owner.name])).toEqual([
    ['ResourceQuota', 'full-000', 'web'],
    ['CustomQuota', 'full-000', 'large'],
  ])
  const text = explanationText(explanation, () => '')
  expect(text).toContain('  full-000, pods: 1 by Deployment web\n  CustomQuota full-000, limit: 7 by Pod large\n')
})
