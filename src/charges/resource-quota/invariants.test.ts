import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { formatResourceList, lessThanOrEqual } from '../../quantity/resource-list.ts'
import { type BatchAttempt, decideBatch, pending, retryBatch } from '../decide-batch.ts'
import { decide } from '../decide.ts'
import type { Attributes } from '../evaluator.ts'
import { type QuotaState, quotaState, withUsed } from './quota-budget.ts'
import { recount } from './recount.ts'

const RUNS = { numRuns: 150 }
const HARD = ['pods', 'requests.cpu', 'limits.memory', 'count/pods', 'secrets'] as const
const SCOPES = [[], ['BestEffort'], ['NotBestEffort'], ['Terminating'], ['NotTerminating']]

const small = fc.integer({ min: 0, max: 6 }).map(String)

const quotas = fc.array(
  fc.record({
    hard: fc.dictionary(fc.constantFrom(...HARD), small, { noNullPrototype: true }),
    scopes: fc.constantFrom(...SCOPES),
  }),
  { maxLength: 3 },
)

const request = fc
  .record({
    resource: fc.constantFrom('pods', 'pods', 'pods', 'secrets'),
    cpu: fc.integer({ min: 0, max: 3000 }),
    memory: small,
    deadline: fc.constantFrom(undefined, 60),
    dryRun: fc.constantFrom(false, false, false, true),
  })
  .map(({ resource, cpu, memory, deadline, dryRun }) => ({ resource, dryRun, spec: podSpec(cpu, memory, deadline) }))

function podSpec(cpu: number, memory: string, activeDeadlineSeconds: number | undefined): Record<string, unknown> {
  const resources = { requests: { cpu: `${cpu}m`, memory }, limits: { cpu: `${cpu}m`, memory } }
  return {
    containers: [{ name: 'c', resources }],
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
  }
}

type Request = typeof request extends fc.Arbitrary<infer T> ? T : never
type Quotas = typeof quotas extends fc.Arbitrary<infer T> ? T : never

function attributes({ resource, dryRun, spec }: Request, index: number): Attributes {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Any', metadata: { name: `o${index}`, namespace: 'ns' }, spec }
  return {
    group: '',
    resource,
    subresource: '',
    operation: 'CREATE',
    name: `o${index}`,
    namespace: 'ns',
    object,
    dryRun,
  }
}

function empty(of: Quotas): ResourceQuota[] {
  return of.map(({ hard, scopes }, index) => {
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    return {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: `q${index}`, namespace: 'ns' },
      spec: { hard, scopes },
      status: { hard, used },
    }
  })
}

function states(of: Quotas): QuotaState[] {
  return empty(of).map(quotaState)
}

const objectsOf =
  (admitted: readonly Attributes[]) =>
  ({ resource }: { readonly resource: string }): KubeObject[] =>
    admitted.filter((one) => one.resource === resource).map((one) => one.object)

function deniedOnes({ decisions }: BatchAttempt): number[] {
  return [...decisions.keys()].filter((index) => decisions[index]?.verdict === 'denied')
}

function used(of: readonly QuotaState[]): Record<string, string>[] {
  return of.map((state) => formatResourceList(state.used))
}

function write(
  before: readonly QuotaState[],
  attempt: BatchAttempt,
  fails: ReadonlySet<string> = new Set(),
): QuotaState[] {
  const changes = new Map(attempt.changed.map((change) => [change.quota.name, change.used]))
  return before.map((state) => {
    const next = changes.get(state.name)
    return next === undefined || fails.has(state.name) ? state : withUsed(state, next)
  })
}

test('what is admitted never sums to more than a limit, in whatever order it comes', () => {
  fc.assert(
    fc.property(quotas, fc.array(request, { maxLength: 12 }), (of, requests) => {
      const before = states(of)
      for (const state of write(before, decideBatch({ quotas: before, requests: requests.map(attributes), now: 0 }))) {
        expect(lessThanOrEqual(state.used, state.hard)).toEqual({ ok: true, exceeded: [] })
      }
    }),
    RUNS,
  )
})

test('a batch decides as if its requests had come one by one', () => {
  fc.assert(
    fc.property(quotas, fc.array(request, { maxLength: 12 }), (of, requests) => {
      const all = requests.map(attributes)
      const batch = decideBatch({ quotas: states(of), requests: all, now: 0 })
      let running = states(of)
      const verdicts = all.map((one) => {
        const decision = decide({ quotas: running, attributes: one, now: 0 })
        if (decision.verdict === 'admitted' && !one.dryRun) {
          const charges = new Map(decision.charges.map((charge) => [charge.quota, charge.used]))
          running = running.map((state) => withUsed(state, charges.get(state.name) ?? state.used))
        }
        return decision.verdict
      })
      expect(batch.decisions.map((decision) => decision.verdict)).toEqual(verdicts)
      expect(used(write(states(of), batch))).toEqual(used(running))
    }),
    RUNS,
  )
})

test('a retry admits nothing that was refused, charges nothing twice and fills nothing over its limit', () => {
  fc.assert(
    fc.property(
      quotas,
      fc.array(request, { maxLength: 8 }),
      fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 4 }),
      (of, requests, conflicts) => {
        let stored = states(of)
        let attempt = decideBatch({ quotas: stored, requests: requests.map(attributes), now: 0 })
        for (const mask of [...conflicts, 0]) {
          const fails = new Set(stored.map(({ name }) => name).filter((_, index) => ((mask >> index) & 1) === 1))
          stored = write(stored, attempt, fails)
          const written = new Set(attempt.changed.map(({ quota }) => quota.name).filter((name) => !fails.has(name)))
          const next = retryBatch(attempt, { written, quotas: stored, now: 0 })
          const refused = deniedOnes(attempt)
          expect(refused.map((index) => next.decisions[index])).toEqual(
            refused.map((index) => attempt.decisions[index]),
          )
          attempt = next
        }
        expect(pending(attempt, new Set())).toEqual([])
        for (const state of stored) expect(lessThanOrEqual(state.used, state.hard).exceeded).toEqual([])
        const admitted = attempt.requests.filter(
          (one, index) => !one.dryRun && attempt.decisions[index]?.verdict === 'admitted',
        )
        for (const [index, quota] of empty(of).entries()) {
          const counted = recount({ quota, objectsOf: objectsOf(admitted), now: 0 })
          // A request that one quota took and another then refused leaves a charge behind, never the other way round.
          const counts = quotaState({ ...quota, status: counted.status })
          expect(lessThanOrEqual(counts.used, stored[index]!.used).exceeded).toEqual([])
        }
      },
    ),
    RUNS,
  )
})

test('a recount finds what admission charged', () => {
  fc.assert(
    fc.property(quotas, fc.array(request, { maxLength: 12 }), (of, requests) => {
      const batch = decideBatch({ quotas: states(of), requests: requests.map(attributes), now: 0 })
      const admitted = batch.requests.filter(
        (one, index) => !one.dryRun && batch.decisions[index]?.verdict === 'admitted',
      )
      const counted = empty(of).map((quota) => {
        return quotaState({ ...quota, status: recount({ quota, objectsOf: objectsOf(admitted), now: 0 }).status })
      })
      expect(used(counted)).toEqual(used(write(states(of), batch)))
    }),
    RUNS,
  )
})
