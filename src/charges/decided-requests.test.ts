// Covers decide-batch.ts and refusal-text.ts with the budgets and limited resources of ResourceQuotas, by recorded requests.
import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import type { ResourceQuota, ScopeRequirement } from '../kinds/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { formatResourceList } from '../quantity/resource-list.ts'
import type { Budget } from './budget.ts'
import { decideBatch } from './decide-batch.ts'
import { ApiError } from '../machinery/status.ts'
import type { LimitedResource } from '../systems/resource-quota/api/configuration.ts'
import { decide, type Decision } from './decide.ts'
import type { Attributes } from './evaluator.ts'
import { QUOTA_EVALUATORS } from './evaluators/table.ts'
import { GroupCommit } from './group-commit.ts'
import { limitedTo } from '../systems/resource-quota/decide/limited-resources.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { requestOf, StoredBudgets } from '../../test/charges/stored-budgets.ts'
import { refusalError, refusalText } from './refusal-text.ts'

const FILE = 'kubernetes/admission.json'

interface Result {
  readonly allowed: boolean
  readonly error?: string
  readonly code?: number
  readonly nonStatusError?: boolean
  readonly statusUpdates: readonly { name: string; used: Record<string, string> }[]
}

interface Case extends Attributes {
  readonly id: number
  readonly case?: string
  readonly from: string
  readonly quotas: readonly ResourceQuota[]
  readonly limitedResources?: readonly {
    resource: string
    MatchContains?: string[] | null
    matchScopes?: ScopeRequirement[]
  }[]
  readonly injectedConflicts?: number
  readonly result_1_20?: Result
  readonly result_1_33?: Result
}

interface Batch {
  readonly name: string
  readonly quotas: readonly (Pick<ResourceQuota, 'status'> & { name: string })[]
  readonly creates: readonly (readonly [string, string])[]
  readonly conflicts: Record<string, number>
  readonly results: readonly (string | null)[]
  readonly resultsExpectedOfACorrectImplementation?: readonly (string | null)[]
  readonly actions: readonly string[]
}

const data = vectors<{
  cases: readonly Case[]
  hasUsageStats: readonly {
    name: string
    hard: Record<string, string>
    used: Record<string, string>
    relevant: string[]
    expect: boolean
  }[]
  batch: readonly Batch[]
}>(FILE)

function quota(name: string, parts: Omit<Partial<ResourceQuota>, 'metadata'>): ResourceQuota {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace: 'test', resourceVersion: '1' },
    ...parts,
  }
}

function create(resource: string, name: string, object: JsonObject = {}): Attributes {
  const stored: KubeObject = { apiVersion: 'v1', kind: 'Any', metadata: { name }, ...object }
  return {
    group: '',
    resource,
    subresource: '',
    operation: 'CREATE',
    name,
    namespace: 'test',
    object: stored,
    dryRun: false,
  }
}

const budgetOf = (of: ResourceQuota): Budget => quotaBudget(of, QUOTA_EVALUATORS)

interface Answer {
  readonly allowed: boolean
  readonly code?: number | undefined
  readonly error?: string | undefined
}

/** Returns the answer that a client reads when a server decides its request by this group commit. */
async function answerTo(committing: Promise<unknown>): Promise<Answer> {
  try {
    await committing
    return { allowed: true }
  } catch (error) {
    if (error instanceof ApiError) return { allowed: false, code: error.status.code, error: error.status.message }
    return { allowed: false, error: (error as Error).message }
  }
}

function answerOf(attributes: Attributes, decision: Decision): Answer {
  if (decision.verdict === 'admitted') return { allowed: true }
  const { status } = refusalError(attributes, decision, 'first')
  return { allowed: false, code: status.code, error: status.message }
}

eachCase(
  `${FILE}#cases`,
  data.cases,
  (value) => `${value.id} ${value.case ?? value.from}`,
  async (value) => {
    const expected = value.result_1_33 ?? value.result_1_20!
    const { oldObject, ...rest } = value
    const attributes: Attributes = oldObject === null || oldObject === undefined ? rest : { ...rest, oldObject }
    const limitedResources: LimitedResource[] = (value.limitedResources ?? []).map(
      ({ resource, MatchContains, matchScopes = [] }) => ({
        resource,
        matchContains: MatchContains ?? null,
        matchScopes,
      }),
    )
    const updates: { name: string; used: Record<string, string> }[] = []
    const budgets = new StoredBudgets({
      budgets: value.quotas.filter((one) => one.metadata.namespace === value.namespace).map(budgetOf),
      coverage: limitedTo(limitedResources, QUOTA_EVALUATORS),
      conflicts: (changed, attempt) => {
        updates.push(...changed.map(({ budget, used }) => ({ name: budget.ref.name, used: formatResourceList(used) })))
        return attempt < (value.injectedConflicts ?? 0)
      },
    })
    expect(await answerTo(new GroupCommit(budgets).commit('test', requestOf(attributes)))).toEqual({
      allowed: expected.allowed,
      ...(expected.allowed
        ? {}
        : { code: expected.nonStatusError === true ? 500 : expected.code, error: expected.error }),
    })
    expect(updates).toEqual(expected.statusUpdates.map(({ name, used }) => ({ name, used })))
  },
)

eachCase(
  `${FILE}#hasUsageStats`,
  data.hasUsageStats,
  (value) => value.name,
  (value) => {
    const containers = [{ name: 'c', resources: { requests: { memory: '1' } } }]
    // The evaluator decides which names are relevant, so the quota is reduced to those that the case names.
    const hard = Object.fromEntries(Object.entries(value.hard).filter(([name]) => value.relevant.includes(name)))
    const budget = budgetOf(quota('q', { status: { hard, used: value.used } }))
    const decision = decide({ budgets: [budget], attributes: create('pods', 'p', { spec: { containers } }), now: 0 })
    const unknown = decision.verdict === 'denied' && decision.refusals.some(({ reason }) => reason === 'status-unknown')
    expect(unknown).toBe(!value.expect)
  },
)

/** Upstream tries four times. */
const ATTEMPTS = 4

eachCase(
  `${FILE}#batch`,
  data.batch,
  (value) => value.name,
  async (value) => {
    const left = new Map(Object.entries(value.conflicts))
    const actions: string[] = []
    const budgets = new StoredBudgets({
      budgets: value.quotas.map(({ name, ...rest }) => budgetOf(quota(name, rest))),
      attempts: ATTEMPTS,
      conflicts: (changed) => {
        const met = changed.filter(({ budget }) => (left.get(budget.ref.name) ?? 0) > 0)
        for (const { budget } of met) {
          actions.push(`conflict ${budget.ref.name}`)
          left.set(budget.ref.name, (left.get(budget.ref.name) ?? 0) - 1)
        }
        if (met.length > 0) return true
        for (const { budget, used } of changed) {
          const amounts = Object.entries(formatResourceList(used)).map(([resource, amount]) => `${resource}=${amount}`)
          actions.push(`write ${budget.ref.name} ${amounts.join(',')}`)
        }
        return false
      },
    })
    const commits = new GroupCommit(budgets)
    const answers = await Promise.all(
      value.creates.map(([resource, name]) => answerTo(commits.commit('test', requestOf(create(resource, name))))),
    )
    const expected = value.resultsExpectedOfACorrectImplementation ?? value.results
    expect(answers.map(({ error = null }) => error)).toEqual(
      expected.map((text) => (text?.startsWith('Operation cannot be fulfilled') ? 'conflict' : text)),
    )
    expect(actions).toEqual(value.actions)
  },
)

const exact = (hard: string, used: string) => ({ status: { hard: { pods: hard }, used: { pods: used } } })

test('a refusal names every quota that refuses, in the words of the first', () => {
  const quotas = [quota('a', exact('1', '1')), quota('b', exact('5', '1')), quota('c', exact('0', '0'))].map(budgetOf)
  const decision = decide({ budgets: quotas, attributes: create('pods', 'p'), now: 0 })
  expect(decision.verdict === 'denied' && refusalText(decision, 'all')).toBe(
    'exceeded quota: a, requested: pods=1, used: pods=1, limited: pods=1; exceeded quota: c, requested: pods=1, used: pods=0, limited: pods=0',
  )
})

test('a scope that cannot be evaluated is the server’s failure, not a denial', () => {
  const broken = quota('broken', {
    spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
    ...exact('1', '0'),
  })
  const attributes = create('pods', 'p')
  const decision = decide({ budgets: [budgetOf(broken)], attributes, now: 0 })
  expect(decision.verdict === 'denied' && refusalError(attributes, decision, 'first').status).toMatchObject({
    code: 500,
    message: expect.stringContaining('error matching scopes of quota broken, err: failed to parse'),
  })
})

test('a name that is still to be generated stands for the object in the message', () => {
  const attributes = {
    ...create('pods', ''),
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'web-' } },
  }
  const decision = decide({ budgets: [budgetOf(quota('q', exact('0', '0')))], attributes, now: 0 })
  expect(answerOf(attributes, decision).error).toMatch(/^pods "web-" is forbidden: exceeded quota: q/)
})

test('an update without its old object is refused', () => {
  const attributes: Attributes = { ...create('services', 's'), operation: 'UPDATE' }
  const decision = decide({ budgets: [budgetOf(quota('q', exact('1', '0')))], attributes, now: 0 })
  expect(answerOf(attributes, decision).error).toBe(
    'services "s" is forbidden: unable to get previous usage since prior version of object was not found',
  )
})

test('an amount below zero is refused, whichever quotas there are', () => {
  const attributes = create('persistentvolumeclaims', 'v', { spec: { resources: { requests: { storage: '-1' } } } })
  const decision = decide({ budgets: [budgetOf(quota('q', exact('1', '0')))], attributes, now: 0 })
  expect(answerOf(attributes, decision).error).toBe(
    'persistentvolumeclaims "v" is forbidden: quota usage is negative for resource(s): requests.storage',
  )
})

test('a dry run is decided in its turn but leaves its room to the next', () => {
  const budgets = [budgetOf(quota('q', exact('1', '0')))]
  const requests = [
    { ...create('pods', 'a'), dryRun: true },
    create('pods', 'b'),
    { ...create('pods', 'c'), dryRun: true },
  ]
  const { decisions, changed } = decideBatch({ budgets, requests, now: 0 })
  expect(decisions.map(({ verdict }) => verdict)).toEqual(['admitted', 'admitted', 'denied'])
  expect(changed.map(({ used }) => formatResourceList(used))).toEqual([{ pods: '1' }])
})
