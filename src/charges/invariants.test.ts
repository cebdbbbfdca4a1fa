// Covers decide.ts and group-commit.ts with ResourceQuotas and their recount: usage is what is stored, and never above a limit.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import { formatResourceList, lessThanOrEqual } from '../quantity/resource-list.ts'
import { requestOf, StoredBudgets } from '../../test/charges/stored-budgets.ts'
import { type Budget, withUsed } from './budget.ts'
import { QUOTA_EVALUATORS } from './evaluators/table.ts'
import { GroupCommit } from './group-commit.ts'
import { decide } from './decide.ts'
import type { Attributes } from './evaluator.ts'
import { quotaBudget } from '../systems/resource-quota/decide/quota-budget.ts'
import { recount } from '../systems/resource-quota/decide/count/recount.ts'

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

const budgetOf = (quota: ResourceQuota): Budget => quotaBudget(quota, QUOTA_EVALUATORS)
const budgetsOf = (of: Quotas): Budget[] => empty(of).map(budgetOf)

const objectsOf =
  (admitted: readonly Attributes[]) =>
  ({ resource }: { readonly resource: string }): KubeObject[] =>
    admitted.filter((one) => one.resource === resource).map((one) => one.object)

const usedBy = (budgets: readonly Budget[]): Record<string, string>[] =>
  budgets.map(({ used }) => formatResourceList(used))

/** Returns the usage that counting the objects of these requests gives. */
const countedBy = (of: Quotas, admitted: readonly Attributes[]): Record<string, string>[] =>
  usedBy(
    empty(of).map((quota) =>
      budgetOf({
        ...quota,
        status: recount({ quota, evaluators: QUOTA_EVALUATORS, objectsOf: objectsOf(admitted), now: 0 }).status,
      }),
    ),
  )

/** Returns the requests that are admitted when they come in these bursts; writes of a batch meet a conflict where `conflicts` says so. */
async function commitAll(
  of: Quotas,
  bursts: readonly (readonly Attributes[])[],
  conflicts: readonly boolean[] = [],
): Promise<{ readonly store: StoredBudgets; readonly answers: readonly ('admitted' | 'denied')[] }> {
  const store = new StoredBudgets({ budgets: budgetsOf(of), conflicts: (_, attempt) => conflicts[attempt] ?? false })
  const commits = new GroupCommit(store)
  const answers: Promise<'admitted' | 'denied'>[] = []
  for (const burst of bursts) {
    for (const one of burst) {
      const committing = commits.commit('ns', requestOf(one))
      answers.push(
        committing.then(
          () => 'admitted',
          () => 'denied',
        ),
      )
    }
    // The next burst comes while the batch of this one is being read or written.
    for (let turn = 0; turn < burst.length; turn++) await Promise.resolve()
  }
  return { store, answers: await Promise.all(answers) }
}

const bursts = fc
  .array(fc.array(request, { maxLength: 5 }), { maxLength: 4 })
  .map((of) => of.map((burst, first) => burst.map((one, index) => attributes(one, first * 10 + index))))
const conflicts = fc.array(fc.boolean(), { maxLength: 6 })

test('the sum of the admitted requests never exceeds a limit, in any order and beside any other writer', async () => {
  await fc.assert(
    fc.asyncProperty(quotas, bursts, conflicts, async (of, requests, others) => {
      const { store } = await commitAll(of, requests, others)
      for (const budget of store.budgets)
        expect(lessThanOrEqual(budget.used, budget.hard)).toEqual({ ok: true, exceeded: [] })
    }),
    RUNS,
  )
})

test('requests that come together are decided as if they had come one by one', async () => {
  await fc.assert(
    fc.asyncProperty(quotas, fc.array(request, { maxLength: 12 }), async (of, requests) => {
      const all = requests.map(attributes)
      const { store, answers } = await commitAll(of, [all])
      let running = budgetsOf(of)
      const verdicts = all.map((one) => {
        const decision = decide({ budgets: running, attributes: one, now: 0 })
        if (decision.verdict === 'admitted' && !one.dryRun) {
          const charges = new Map(decision.charges.map((charge) => [charge.budget, charge.used]))
          running = running.map((budget) => withUsed(budget, charges.get(budget.ref) ?? budget.used))
        }
        return decision.verdict
      })
      expect(answers).toEqual(verdicts)
      expect(usedBy(store.budgets)).toEqual(usedBy(running))
    }),
    RUNS,
  )
})

test('conflicts change no answer and charge nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(quotas, fc.array(request, { maxLength: 8 }), conflicts, async (of, requests, others) => {
      const all = requests.map(attributes)
      const undisturbed = await commitAll(of, [all])
      const disturbed = await commitAll(of, [all], others)
      expect(disturbed.answers).toEqual(undisturbed.answers)
      expect(usedBy(disturbed.store.budgets)).toEqual(usedBy(undisturbed.store.budgets))
    }),
    RUNS,
  )
})

test('a recount finds what admission charged', async () => {
  await fc.assert(
    fc.asyncProperty(quotas, bursts, conflicts, async (of, requests, others) => {
      const { store, answers } = await commitAll(of, requests, others)
      const admitted = requests.flat().filter((one, index) => !one.dryRun && answers[index] === 'admitted')
      expect(countedBy(of, admitted)).toEqual(usedBy(store.budgets))
      expect(store.stored.map((one) => one.attributes.name).toSorted()).toEqual(
        admitted.map(({ name }) => name).toSorted(),
      )
    }),
    RUNS,
  )
})
