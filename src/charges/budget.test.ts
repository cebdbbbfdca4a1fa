import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestOf, StoredBudgets } from '../../test/charges/stored-budgets.ts'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import { Quantity, QuantityError } from '../quantity/quantity.ts'
import { formatResourceList, parseResourceList } from '../quantity/resource-list.ts'
import type { Budget, BudgetRule } from './budget.ts'
import { countUsage } from './count-usage.ts'
import { decide } from './decide.ts'
import { decideBatch } from './decide-batch.ts'
import { type Attributes, type Evaluator, type Evaluators, ScopeError } from './evaluator.ts'
import { QUOTA_EVALUATORS } from './evaluators/table.ts'
import { GroupCommit } from './group-commit.ts'
import { refusalError, refusalText } from './refusal-text.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { shiftUsage } from './usage-shift.ts'

// A throw-away kind of budget that differs from a ResourceQuota in every decision of a kind. It lives outside namespaces, and
// counts the buckets of one team in all of them. Each costs what its spec says, on create and on every update.

const BUCKETS = { group: 'storage.example.com', resource: 'buckets' }

const sizes: Evaluator = {
  ...BUCKETS,
  names: ['size'],
  handles: ({ operation }) => operation !== 'DELETE',
  counts: (name) => name === 'size',
  usage: (bucket) => ({ size: Quantity.fromJson((bucket['spec'] as { readonly size: unknown }).size) }),
}
const evaluators: Evaluators = { of: ({ resource }) => (resource === BUCKETS.resource ? sizes : undefined) }

const ruleOf = (team: string): BudgetRule => ({
  evaluators,
  countedBy: (evaluator) => (evaluator.counts('size') ? ['size'] : []),
  match: ({ metadata }) => {
    if (team === '') throw new ScopeError('no team is named')
    return { counted: metadata.labels?.['team'] === team, met: [] }
  },
})
const teamBudget = (team: string, size: string, used = '0'): Budget => ({
  ref: { group: 'budgets.example.com', kind: 'TeamBudget', namespace: '', name: team },
  hard: parseResourceList({ size }),
  used: parseResourceList({ size: used }),
  rule: ruleOf(team),
})

const bucket = (name: string, size: string, team = 'a', namespace = 'shop'): KubeObject => ({
  apiVersion: 'storage.example.com/v1',
  kind: 'Bucket',
  metadata: { name, namespace, labels: { team }, resourceVersion: '1' },
  spec: { size },
})
const request = (object: KubeObject, oldObject?: KubeObject): Attributes => ({
  ...BUCKETS,
  subresource: '',
  operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
  name: object.metadata.name ?? '',
  namespace: object.metadata.namespace ?? '',
  object,
  ...(oldObject === undefined ? {} : { oldObject }),
  dryRun: false,
})
const bucketQuota = (used: string): Budget => {
  const status = {
    hard: { 'count/buckets.storage.example.com': '2' },
    used: { 'count/buckets.storage.example.com': used },
  }
  const quota: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'buckets', namespace: 'shop' },
    status,
  }
  return quotaBudget(quota, QUOTA_EVALUATORS)
}

test('a budget of another kind decides beside quotas, by its own match and its own cost', () => {
  const budgets = [bucketQuota('0'), teamBudget('a', '10Gi', '4Gi'), teamBudget('b', '1Gi')]
  const decision = decide({ budgets, attributes: request(bucket('logs', '5Gi')), now: 0 })
  if (decision.verdict === 'denied') throw new Error(refusalText(decision, 'all'))
  expect(decision.charges.map(({ budget, used }) => [budget.kind, budget.name, formatResourceList(used)])).toEqual([
    ['ResourceQuota', 'buckets', { 'count/buckets.storage.example.com': '1' }],
    ['TeamBudget', 'a', { size: '9Gi' }],
  ])
})

test('a refusal carries the whole reference of its budget and the excess of each resource', () => {
  const budgets = [bucketQuota('2'), teamBudget('a', '10Gi', '6Gi')]
  const attributes = request(bucket('logs', '5Gi'))
  const decision = decide({ budgets, attributes, now: 0 })
  if (decision.verdict === 'admitted') throw new Error('it does not fit')
  expect(decision.refusals.map((refusal) => ('budget' in refusal ? refusal.budget : undefined))).toEqual([
    { group: '', kind: 'ResourceQuota', namespace: 'shop', name: 'buckets' },
    { group: 'budgets.example.com', kind: 'TeamBudget', namespace: '', name: 'a' },
  ])
  const [, second] = decision.refusals
  if (second?.reason !== 'exceeded') throw new Error('the team has too little room')
  expect(
    second.excesses.map(({ resource, requested, used, hard }) => [
      resource,
      String(requested),
      String(used),
      String(hard),
    ]),
  ).toEqual([['size', '5Gi', '6Gi', '10Gi']])
  expect(refusalError(attributes, decision, 'first').status.message).toBe(
    'buckets.storage.example.com "logs" is forbidden: exceeded quota: buckets, requested: count/buckets.storage.example.com=1, used: count/buckets.storage.example.com=2, limited: count/buckets.storage.example.com=2',
  )
  expect(refusalText(decision, 'all')).toMatch(
    /; exceeded quota: TeamBudget a, requested: size=5Gi, used: size=6Gi, limited: size=10Gi$/,
  )
})

test('an update costs what it adds, an object that moves to another team its whole size', () => {
  const chargesOf = (object: KubeObject, old: KubeObject): unknown => {
    const budgets = [teamBudget('a', '10Gi', '9Gi'), teamBudget('b', '10Gi', '5Gi')]
    const decision = decide({ budgets, attributes: request(object, old), now: 0 })
    return decision.verdict === 'denied'
      ? refusalText(decision, 'all')
      : decision.charges.map(({ budget, used }) => [budget.name, formatResourceList(used)])
  }
  expect(chargesOf(bucket('logs', '4Gi'), bucket('logs', '3Gi'))).toEqual([['a', { size: '10Gi' }]])
  expect(chargesOf(bucket('logs', '2Gi'), bucket('logs', '3Gi'))).toEqual([])
  expect(chargesOf(bucket('logs', '4Gi', 'b'), bucket('logs', '3Gi'))).toEqual([['b', { size: '9Gi' }]])
  expect(chargesOf(bucket('logs', '6Gi', 'b'), bucket('logs', '3Gi'))).toMatch(
    /^exceeded quota: TeamBudget b, requested: size=6Gi/,
  )
})

test('the group commit charges it with the quotas, in all or in none, while others write too', async () => {
  const store = new StoredBudgets({
    budgets: [bucketQuota('0'), teamBudget('a', '10Gi')],
    conflicts: (_, attempt) => attempt < 2,
  })
  const commits = new GroupCommit(store)
  const sizesAsked = ['6Gi', '6Gi', '3Gi', '1Gi']
  const answers = await Promise.allSettled(
    sizesAsked.map((size, index) => commits.commit('shop', requestOf(request(bucket(`b${index}`, size))))),
  )
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect(store.budgets.map(({ used }) => formatResourceList(used))).toEqual([
    { 'count/buckets.storage.example.com': '2' },
    { size: '9Gi' },
  ])
})

test('the usage of its objects is counted, and shifted by their replacements, as for quotas', () => {
  const objects = [bucket('one', '1Gi'), bucket('other', '7Gi', 'b'), bucket('two', '2Gi', 'a', 'elsewhere')]
  expect(formatResourceList(countUsage(ruleOf('a'), sizes, objects, { now: 0 }))).toEqual({ size: '3Gi' })
  const replaced = { of: BUCKETS, object: bucket('one', '5Gi'), oldObject: bucket('one', '1Gi') }
  const shifts = shiftUsage([teamBudget('a', '10Gi', '3Gi'), bucketQuota('1')], replaced, { now: 0 })
  expect(shifts?.map(({ budget, used }) => [budget.name, formatResourceList(used)])).toEqual([['a', { size: '7Gi' }]])
})

test('a match that cannot be evaluated refuses with the budget that it is about', () => {
  const decision = decide({ budgets: [teamBudget('', '1Gi')], attributes: request(bucket('b', '1Gi')), now: 0 })
  expect(decision).toMatchObject({
    verdict: 'denied',
    refusals: [{ reason: 'scope-error', budget: { kind: 'TeamBudget' }, message: 'no team is named' }],
  })
})

test('a cost that cannot be measured by one kind keeps no other budget from refusing', () => {
  const budgets = [bucketQuota('2'), teamBudget('a', '10Gi')]
  const decision = decide({ budgets, attributes: request(bucket('b', 'many')), now: 0 })
  expect(decision.verdict === 'denied' && decision.refusals.map(({ reason }) => reason)).toEqual([
    'unmeasurable',
    'exceeded',
  ])
})

/** Names of resources of which no two are the same. */
const RESOURCES = ['cpu', 'count/pods', 'limits.memory', 'memory', 'pods', 'requests.cpu']

test('a refusal names its excesses in the order of their names, as Kubernetes words them, in whatever order a budget adds them', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(RESOURCES, { minLength: 1 }), (names) => {
      const amounts = (amount: string) => Object.fromEntries(names.map((name) => [name, amount]))
      const budget: Budget = {
        ...teamBudget('a', '1Gi'),
        rule: {
          evaluators: {
            of: () => ({
              ...BUCKETS,
              names,
              handles: () => true,
              counts: () => true,
              usage: () => parseResourceList(amounts('2')),
            }),
          },
          countedBy: () => names,
          match: () => ({ counted: true, met: [] }),
        },
        hard: parseResourceList(amounts('1')),
        used: parseResourceList(amounts('0')),
      }
      const decision = decide({ budgets: [budget], attributes: request(bucket('b', '1Gi')), now: 0 })
      if (decision.verdict === 'admitted') throw new Error('it does not fit')
      const list = (amount: string) =>
        names
          .toSorted()
          .map((name) => `${name}=${amount}`)
          .join(',')
      expect(refusalText(decision, 'first')).toBe(
        `exceeded quota: TeamBudget a, requested: ${list('2')}, used: ${list('0')}, limited: ${list('1')}`,
      )
    }),
  )
})

/** A budget of which the label `counted` of an object says whether it counts it, or that nobody can say that. */
const labelled = (used: number, hard: number): Budget => ({
  ref: { group: 'budgets.example.com', kind: 'TeamBudget', namespace: '', name: 'labelled' },
  hard: { size: Quantity.of(hard) },
  used: { size: Quantity.of(used) },
  rule: {
    evaluators,
    countedBy: () => ['size'],
    match: ({ metadata }) => {
      const label = metadata.labels?.['counted']
      if (label === 'no scope') throw new ScopeError(label)
      if (label === 'no amount') throw new QuantityError('FormatWrong', label)
      return { counted: label === 'yes', met: [] }
    },
  },
})

test('an update whose old object may not have been counted is charged whole, also to those that are decided after it', () => {
  const sized = (name: string, size: number, counted: string): KubeObject => {
    const made = bucket(name, String(size))
    return { ...made, metadata: { ...made.metadata, labels: { counted } } }
  }
  const size = fc.integer({ min: 1, max: 9 })
  const wasCounted = fc.constantFrom('yes', 'no', 'no scope', 'no amount')
  fc.assert(
    fc.property(size, size, size, wasCounted, fc.boolean(), (before, after, other, counted, isRoom) => {
      const oldObject = sized('b', before, counted)
      const object = sized('b', after, 'yes')
      const charged = 10 + after - (counted === 'yes' ? before : 0)
      const { decisions, changed, uncertain } = decideBatch({
        budgets: [labelled(10, charged + other - (isRoom ? 0 : 1))],
        requests: [request(object, oldObject), request(sized('c', other, 'yes'))],
        replacements: [{ of: BUCKETS, object, oldObject }, undefined],
        now: 0,
      })
      expect(decisions.map(({ verdict }) => verdict)).toEqual(['admitted', isRoom ? 'admitted' : 'denied'])
      expect(changed.map(({ used }) => formatResourceList(used))).toEqual(
        charged === 10 && !isRoom ? [] : [{ size: String(isRoom ? charged + other : charged) }],
      )
      expect(uncertain).toBe(counted.startsWith('no '))
    }),
  )
})
