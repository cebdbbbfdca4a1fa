import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import type { ResourceQuota, ScopeRequirement } from '../../api/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { type BatchAttempt, decideBatch, overcharged, pending, retryBatch } from '../decide-batch.ts'
import type { LimitedResource } from '../../api/resource-quota/resource-quota-configuration.ts'
import { decide, type Decision } from '../decide.ts'
import type { Attributes } from '../evaluator.ts'
import { type QuotaState, quotaState, withUsed } from './quota-budget.ts'
import { refusalError, refusalText } from '../refusal-text.ts'

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

/** Upstream's loop of four attempts; `write` says whether a write of a quota succeeds. */
function drive(
  first: BatchAttempt,
  reread: () => readonly QuotaState[],
  write: (name: string, used: Record<string, string>) => boolean,
): BatchAttempt {
  let attempt = first
  for (let round = 1; ; round += 1) {
    const written = attempt.changed
      .filter(({ quota: of, used }) => write(of.name, formatResourceList(used)))
      .map(({ quota: of }) => of.name)
    const done = new Set(written)
    if (pending(attempt, done).length === 0 || round === 4) return attempt
    attempt = retryBatch(attempt, { written: done, quotas: reread(), now: 0 })
  }
}

function told(
  attributes: Attributes,
  decision: Decision | undefined,
): { allowed: boolean; code?: number | undefined; error?: string | undefined } {
  if (decision?.verdict !== 'denied') return { allowed: true }
  const { status } = refusalError(attributes, decision, 'first')
  return { allowed: false, code: status.code, error: status.message }
}

eachCase(
  `${FILE}#cases`,
  data.cases,
  (value) => `${value.id} ${value.case ?? value.from}`,
  (value) => {
    const expected = value.result_1_33 ?? value.result_1_20!
    const { oldObject, ...rest } = value
    const attributes: Attributes = oldObject === null || oldObject === undefined ? rest : { ...rest, oldObject }
    const quotas = value.quotas.filter((one) => one.metadata.namespace === value.namespace).map(quotaState)
    const limitedResources: LimitedResource[] = (value.limitedResources ?? []).map(
      ({ resource, MatchContains, matchScopes = [] }) => ({
        resource,
        matchContains: MatchContains ?? null,
        matchScopes,
      }),
    )
    let conflicts = value.injectedConflicts ?? 0
    const updates: { name: string; used: Record<string, string> }[] = []
    const attempt = drive(
      decideBatch({ quotas, requests: [attributes], limitedResources, now: 0 }),
      () => quotas,
      (name, used) => {
        if (!value.dryRun) updates.push({ name, used })
        conflicts -= 1
        return conflicts < 0
      },
    )
    expect(told(attributes, attempt.decisions[0])).toEqual({
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
    // Which names are relevant is the evaluator's to say: the quota is cut to those that the case names.
    const hard = Object.fromEntries(Object.entries(value.hard).filter(([name]) => value.relevant.includes(name)))
    const state = quotaState(quota('q', { status: { hard, used: value.used } }))
    const decision = decide({ quotas: [state], attributes: create('pods', 'p', { spec: { containers } }), now: 0 })
    const unknown = decision.verdict === 'denied' && decision.refusals.some(({ reason }) => reason === 'status-unknown')
    expect(unknown).toBe(!value.expect)
  },
)

eachCase(
  `${FILE}#batch`,
  data.batch,
  (value) => value.name,
  (value) => {
    const stored = new Map(value.quotas.map(({ name, ...rest }) => [name, quotaState(quota(name, rest))]))
    const conflicts = new Map(Object.entries(value.conflicts))
    const requests = value.creates.map(([resource, name]) => create(resource, name))
    const actions: string[] = []
    const attempt = drive(
      decideBatch({ quotas: [...stored.values()], requests, now: 0 }),
      () => [...stored.values()],
      (name, used) => {
        const left = conflicts.get(name) ?? 0
        conflicts.set(name, left - 1)
        if (left > 0) {
          actions.push(`conflict ${name}`)
          return false
        }
        const before = stored.get(name)!
        stored.set(name, withUsed(before, quotaState(quota(name, { status: { hard: used, used } })).used))
        actions.push(
          `write ${name} ${Object.entries(used)
            .map(([resource, amount]) => `${resource}=${amount}`)
            .join(',')}`,
        )
        return true
      },
    )
    const open = new Set(
      pending(attempt, new Set([...stored.keys()].filter((name) => (conflicts.get(name) ?? 0) <= 0))),
    )
    const results = requests.map((attributes, index) =>
      open.has(index) ? 'conflict' : (told(attributes, attempt.decisions[index]).error ?? null),
    )
    const expected = value.resultsExpectedOfACorrectImplementation ?? value.results
    expect(results).toEqual(
      expected.map((text) => (text?.startsWith('Operation cannot be fulfilled') ? 'conflict' : text)),
    )
    expect(actions).toEqual(value.actions)
  },
)

const exact = (hard: string, used: string) => ({ status: { hard: { pods: hard }, used: { pods: used } } })

test('a refusal names every quota that refuses, in the words of the first', () => {
  const quotas = [quota('a', exact('1', '1')), quota('b', exact('5', '1')), quota('c', exact('0', '0'))].map(quotaState)
  const decision = decide({ quotas, attributes: create('pods', 'p'), now: 0 })
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
  const decision = decide({ quotas: [quotaState(broken)], attributes, now: 0 })
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
  const decision = decide({ quotas: [quotaState(quota('q', exact('0', '0')))], attributes, now: 0 })
  expect(told(attributes, decision).error).toMatch(/^pods "web-" is forbidden: exceeded quota: q/)
})

test('an update without its old object is refused', () => {
  const attributes: Attributes = { ...create('services', 's'), operation: 'UPDATE' }
  const decision = decide({ quotas: [quotaState(quota('q', exact('1', '0')))], attributes, now: 0 })
  expect(told(attributes, decision).error).toBe(
    'services "s" is forbidden: unable to get previous usage since prior version of object was not found',
  )
})

test('an amount below zero is refused, whichever quotas there are', () => {
  const attributes = create('persistentvolumeclaims', 'v', { spec: { resources: { requests: { storage: '-1' } } } })
  const decision = decide({ quotas: [quotaState(quota('q', exact('1', '0')))], attributes, now: 0 })
  expect(told(attributes, decision).error).toBe(
    'persistentvolumeclaims "v" is forbidden: quota usage is negative for resource(s): requests.storage',
  )
})

test('a dry run is decided in its turn but leaves its room to the next', () => {
  const quotas = [quotaState(quota('q', exact('1', '0')))]
  const requests = [
    { ...create('pods', 'a'), dryRun: true },
    create('pods', 'b'),
    { ...create('pods', 'c'), dryRun: true },
  ]
  const attempt = decideBatch({ quotas, requests, now: 0 })
  expect(attempt.decisions.map((decision) => decision.verdict)).toEqual(['admitted', 'admitted', 'denied'])
  expect(attempt.changed.map(({ used }) => formatResourceList(used))).toEqual([{ pods: '1' }])
})

test('a charge that was written for a request that another quota then refuses is named for a recount', () => {
  const [a, b] = [quota('a', exact('1', '0')), quota('b', exact('1', '0'))].map(quotaState)
  const first = decideBatch({ quotas: [a!, b!], requests: [create('pods', 'p')], now: 0 })
  const [full, taken] = [withUsed(a!, first.changed[0]!.used), withUsed(b!, first.changed[1]!.used)]
  const second = retryBatch(first, { written: new Set(['a']), quotas: [full, taken], now: 0 })
  expect(second.decisions.map((decision) => decision.verdict)).toEqual(['denied'])
  expect(overcharged(second, new Set())).toEqual(['a'])
})

test('a charge to a quota that has been replaced by one of the same name is made again', () => {
  const [a, b] = [quota('a', exact('1', '0')), quota('b', exact('1', '0'))].map(quotaState)
  const first = decideBatch({ quotas: [a!, b!], requests: [create('pods', 'p')], now: 0 })
  const second = retryBatch(first, { written: new Set(['a']), quotas: [{ ...a!, uid: 'new' }, b!], now: 0 })
  expect(second.changed.map((change) => change.quota.name)).toEqual(['a', 'b'])
  expect(pending(second, new Set(['b']))).toEqual([0])
})

test('a retry evaluates quotas that are new to it, but charges none twice', () => {
  const [a, b, c] = [quota('a', exact('1', '0')), quota('b', exact('1', '0')), quota('c', exact('1', '0'))].map(
    quotaState,
  )
  const first = decideBatch({ quotas: [a!, b!], requests: [create('pods', 'p')], now: 0 })
  const full = withUsed(a!, first.changed[0]!.used)
  const second = retryBatch(first, { written: new Set(['a']), quotas: [full, b!, c!], now: 0 })
  expect(second.changed.map((change) => change.quota.name)).toEqual(['b', 'c'])
  expect(pending(second, new Set(['b', 'c']))).toEqual([])
})
