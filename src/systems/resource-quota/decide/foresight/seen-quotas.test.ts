import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../../test/load-vectors.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { Attributes } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { refusalError } from '../../../../charges/refusal-text.ts'
import { refusalBy, SeenQuotas } from './seen-quotas.ts'

const FILE = 'kubernetes/admission.json'
const PATIENCE = 100

interface Result {
  readonly allowed: boolean
  readonly error?: string
}

interface Case extends Omit<Attributes, 'oldObject'> {
  readonly id: number
  readonly case?: string
  readonly from: string
  readonly quotas: readonly ResourceQuota[]
  readonly oldObject?: Attributes['object'] | null
  readonly limitedResources?: readonly unknown[]
  readonly result_1_20?: Result
  readonly result_1_33?: Result
}

const seenOf = (quotas: readonly ResourceQuota[]): SeenQuotas => {
  const seen = new SeenQuotas(QUOTA_EVALUATORS, PATIENCE)
  for (const quota of quotas) seen.set(quota)
  return seen
}

eachCase(
  FILE,
  vectors<{ cases: readonly Case[] }>(FILE).cases,
  ({ id, ...value }) => `${id} ${value.case ?? value.from}: what is foreseen`,
  ({ oldObject, ...value }) => {
    const attributes: Attributes = oldObject === null || oldObject === undefined ? value : { ...value, oldObject }
    const quotas = value.quotas.filter(({ metadata }) => metadata.namespace === value.namespace)
    const { allowed, error = '' } = value.result_1_33 ?? value.result_1_20 ?? { allowed: true }
    const refusal = refusalBy(quotas, QUOTA_EVALUATORS, attributes, { now: 0 })
    const forecast = seenOf(quotas).forecast(attributes, { now: 0 }, 0)
    expect(forecast.type).toBe(refusal === undefined ? 'fits' : 'refused')
    // How an API server is configured is not known: what it refuses for that is left to it.
    const isConfigured = (value.limitedResources ?? []).length > 0
    if (allowed) expect(refusal).toBeUndefined()
    else if (!isConfigured) expect(refusal && refusalError(attributes, refusal, 'first').status.message).toBe(error)
  },
)

const quota = (hard: number, used: number, more: object = {}): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'n', name: 'q', uid: 'u' },
  status: { hard: { secrets: String(hard) }, used: { secrets: String(used) } },
  ...more,
})
const SECRET: Attributes = {
  group: '',
  resource: 'secrets',
  subresource: '',
  operation: 'CREATE',
  name: 's',
  namespace: 'n',
  object: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
  dryRun: false,
}

describe('requests on their way', () => {
  const take = (seen: SeenQuotas, at: number) => {
    const forecast = seen.forecast(SECRET, { now: 0 }, at)
    return forecast.type === 'fits' ? seen.expect(forecast.charges, at) : forecast.type
  }

  test('make it too early for those that fit only without them, until the usage shows them', () => {
    const seen = seenOf([quota(2, 0)])
    take(seen, 0)
    take(seen, 0)
    expect(take(seen, 0)).toBe('too early')
    seen.set(quota(2, 1))
    expect(take(seen, 0)).toBe('too early')
    seen.set(quota(2, 2))
    expect(take(seen, 0)).toBe('refused')
    seen.set(quota(3, 2))
    expect(take(seen, 0)).toBeTypeOf('function')
  })

  test('stand in nobody’s way once they go no further, or are not charged in time', () => {
    const seen = seenOf([quota(1, 0)])
    const end = take(seen, 0)
    expect(take(seen, 0)).toBe('too early')
    if (typeof end === 'function') end(undefined)
    const next = take(seen, 0)
    expect(next).toBeTypeOf('function')
    if (typeof next === 'function') next(50)
    expect(take(seen, 50 + PATIENCE - 1)).toBe('too early')
    expect(take(seen, 50 + PATIENCE)).toBeTypeOf('function')
  })

  test('are not those of a quota that is made anew, nor of a quota that is gone', () => {
    const seen = seenOf([quota(1, 0)])
    take(seen, 0)
    seen.set(quota(1, 0, { metadata: { namespace: 'n', name: 'q', uid: 'other' } }))
    expect(take(seen, 0)).toBeTypeOf('function')
    seen.remove('q')
    expect(seen.count).toBe(0)
    expect(take(seen, 0)).toBeTypeOf('function')
  })
})

test('a quota whose amounts cannot be read refuses nothing here', () => {
  const broken = quota(0, 0, { status: { hard: { secrets: 'x' }, used: { secrets: '0' } } })
  expect(refusalBy([broken], QUOTA_EVALUATORS, SECRET, { now: 0 })).toBeUndefined()
  expect(seenOf([broken, { ...quota(0, 0), metadata: { namespace: 'n', name: 'r' } }])).toSatisfy(
    (seen: SeenQuotas) => seen.forecast(SECRET, { now: 0 }, 0).type === 'refused',
  )
})
