// Covers the texts that all systems make of what tenants write.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compiled } from '../../test/systems/custom-quota/custom-quotas.ts'
import { withCondition } from '../api/condition.ts'
import { eventOf } from '../kube/events/event-object.ts'
import type { KubeObject } from '../machinery/object.ts'
import { allowed, answerText, denied, retryLater } from '../runtime/admission/decision.ts'
import { closedNamespaceText, uncountedText, unmeasurableText } from './custom-quota/decide/refusal.ts'
import { MeasureError } from './custom-quota/decide/measure-error.ts'
import { costOf } from './custom-quota/decide/object-cost.ts'
import { quotaStatus } from './custom-quota/decide/quota-status.ts'
import type { QuotaDefinition } from './quota-increase/api/quota-definition.ts'
import { quotaIncrease } from './quota-increase/api/quota-increase.ts'
import { usableIncreases } from './quota-increase/decide/usable-increases.ts'
import { resourcePoolClaim, type ResourcePoolClaim } from './resource-pool/api/claim.ts'
import { claimChange } from './resource-pool/decide/apply-outcome.ts'
import { withoutPool } from './resource-pool/decide/claim-outcome.ts'

const NOW = '2026-01-01T00:00:00Z'
/** Terminals obey these and do not print them. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** The same but for the line breaks that messages are put together with. */
const HIDDEN_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const piece = fc.oneof(
  fc.constantFrom(
    '\u001b[2J',
    '\u001b[31m',
    '\n',
    '\r',
    '\t',
    '\u0000',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u009b',
    '\u2028',
  ),
  fc.constantFrom('\u202e', '\ufeff', '\u{e0001}', '\ud83d', '"', '\\', '`', "'", ' ', '😀', 'ä', '%s', '[', '('),
  fc.string({ maxLength: 8 }),
  fc.constant('x'.repeat(3_000)),
)
/** What a tenant may write where a field takes any text. */
const hostile = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))

test('no condition, Event, refusal or warning holds a raw control character, whatever it was made of [security/control-characters]', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [condition] = withCondition([], { type: 'Ready', status: 'False', reason: 'Failed', message: text }, NOW)
      const regarding = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }
      const content = { type: 'Warning', reason: 'R', action: 'A', note: text, regarding } as const
      const event = eventOf(content, { component: 'allot', instance: 'i' }, 0, 0)
      const answers = [denied(text), retryLater(text, 1), allowed([text]), denied(text, 403, 'Forbidden', [text])].map(
        (decision) => JSON.parse(answerText('admission.k8s.io/v1', 'u', decision)).response,
      )
      const texts = [condition?.message, event['note'], ...answers.flatMap((one) => [one.status?.message ?? ''])]
      for (const one of texts) expect(one).not.toMatch(HIDDEN_IN_LINES)
      for (const { warnings = [] } of answers) for (const one of warnings) expect(one).not.toMatch(HIDDEN)
    }),
  )
})

const REFUSALS = [
  'no-pool-named',
  'pool-not-found',
  'pool-not-available',
  'resource-missing',
  'no-quota',
  'ledger-full',
  'amount-refused',
] as const

test('a claim says in one bounded line why it waits, whatever pool and resources it names', () => {
  const facts = fc.record({ pool: hostile, resource: hostile, why: hostile, reason: fc.constantFrom(...REFUSALS) })
  fc.assert(
    fc.property(facts, ({ pool, resource, why, reason }) => {
      const claim: ResourcePoolClaim = resourcePoolClaim.read({
        apiVersion: resourcePoolClaim.apiVersion,
        kind: resourcePoolClaim.kind,
        metadata: { name: 'c', namespace: 'n', uid: 'u', generation: 1 },
        spec: { pool, claim: { [resource]: '1' } },
      })
      const outcome = withoutPool(undefined, claim, { verdict: 'refused', reason, resource, why })
      const { conditions = [], waiting } = claimChange(outcome, undefined, NOW)?.status ?? {}
      const texts = [...conditions.map(({ message }) => message), waiting?.message, waiting?.for]
      expect(texts).toHaveLength(4)
      for (const text of [...texts, ...outcome.events.map(({ note }) => note)]) {
        expect(text).not.toMatch(HIDDEN)
        expect(text?.length).toBeLessThanOrEqual(4_096)
      }
    }),
  )
})

test('an increase says in one bounded line what is wrong with it, whatever resources it names', () => {
  const definition: QuotaDefinition = {
    name: 'd',
    mode: 'cumulative',
    deleteIneffectiveQuotas: false,
    template: { spec: { hard: {} } },
  }
  fc.assert(
    fc.property(hostile, hostile, (resource, amount) => {
      const increase = quotaIncrease.read({
        apiVersion: quotaIncrease.apiVersion,
        kind: quotaIncrease.kind,
        metadata: { name: 'i', namespace: 'n' },
        spec: { hard: { [`${resource}\u0007`]: amount } },
      })
      const problem = usableIncreases(definition, [increase], 0).problems.get('i')
      expect(problem?.message).not.toMatch(HIDDEN)
      expect(problem?.message.length).toBeLessThanOrEqual(4_096)
    }),
  )
})

const CEL = (cel: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  op: 'count',
  selectors: [{ celExpressions: [cel] }],
})
/** Quotas whose errors say what the object holds. */
const TELLING = [
  CEL("object.data[object.data.k] == 'x'"),
  CEL("'x'.matches('[' + object.data.k)"),
  CEL('timestamp(object.data.k) == timestamp(object.data.k)'),
  CEL('int(object.data.k) == 5'),
  { apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.k' },
  { apiVersion: 'v1', kind: 'ConfigMap', op: 'add', cel: 'quantity(object.data.k)' },
].map((source) => compiled({ sources: [source] }))

/** The error of an object that a quota cannot measure; undefined where it can. */
function failureOf(quota: (typeof TELLING)[number], object: KubeObject): MeasureError | undefined {
  try {
    costOf(quota, object)
    return undefined
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
}

test('each object that a quota cannot measure has a line of its own in Ready, whatever the others hold and are called [security/unmeasured-lines]', () => {
  const objects = fc.array(fc.record({ name: hostile, k: hostile }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.constantFrom(...TELLING), objects, (quota, all) => {
      const ref = { group: 'capsule.clastix.io', kind: 'GlobalCustomQuota', namespace: '', name: 'g' }
      const problems = all.flatMap(({ name, k }, at) => {
        const metadata = { name: `${at}-${name}`, namespace: 'n' }
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k } }
        const error = failureOf(quota, object)
        if (error === undefined) return []
        const refusals = [unmeasurableText('CREATE', object, ref, error), uncountedText(object, error)]
        for (const text of [...refusals, closedNamespaceText(ref, 'n', uncountedText(object, error))])
          expect(text).not.toMatch(HIDDEN)
        return [{ at, text: uncountedText(object, error) }]
      })
      const input = { generation: 1, targets: [], count: undefined, previous: undefined, now: NOW }
      const [ready] = quotaStatus({ ...input, problems: problems.map(({ text }) => text) }).conditions
      if (problems.length === 0) return
      const lines = ready?.message.split('\n') ?? []
      expect(lines).toHaveLength(problems.length)
      for (const [index, { at }] of problems.entries()) expect(lines[index]).toContain(` n/${at}-`)
    }),
  )
})
