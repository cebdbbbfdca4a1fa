import fc from 'fast-check'
import { byNearness, rowsOf } from '../../src/insight/top/limit-row.ts'
import { Quantity } from '../../src/quantity/quantity.ts'
import { type Answers, SETTINGS } from './answers.ts'

const NAMESPACE = 'shop'
/** As tenants may name and say things. */
const WORDS = fc.constantFrom('a', 'web', '<b>x</b>', '"&\'', '%2f..', '雪', 'x'.repeat(63))
const AMOUNT = fc.constantFrom('0', '1', '950m', '1k', '4Gi', '3999Mi', '1e30', '-1', '5Ei')
const RESOURCE = fc.constantFrom(
  'pods',
  'requests.cpu',
  'limits.memory',
  'limit',
  'gold.storageclass.storage.k8s.io/requests.storage',
)
const KIND = fc.constantFrom('ResourceQuota', 'CustomQuota', 'GlobalCustomQuota', 'KarmadaQuota')

const limit = fc.record({
  kind: KIND,
  name: WORDS,
  resource: RESOURCE,
  hard: AMOUNT,
  used: fc.option(AMOUNT, { nil: undefined }),
})

const rows = fc.array(limit, { maxLength: 40 }).map((limits) =>
  limits
    .flatMap(({ kind, name, resource, hard, used }) =>
      rowsOf(
        { namespace: kind === 'GlobalCustomQuota' ? '' : NAMESPACE, kind, name },
        { [resource]: Quantity.parse(hard) },
        used === undefined ? {} : { [resource]: Quantity.parse(used) },
      ),
    )
    .toSorted(byNearness)
    .map(({ row }) => row),
)

const explanation = fc.record({ name: WORDS, text: WORDS }).map(({ name, text }) => ({
  format: 1,
  object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name },
  verdict: 'blocked',
  summary: text,
  chain: [],
  wanted: [],
  budgets: [{ kind: 'ResourceQuota', name, counts: true, limits: [{ resource: 'pods', hard: '0', used: '0' }] }],
  causes: [{ type: 'exceeded', refused: 'Pod', by: { kind: 'ResourceQuota', name }, text, containers: [] }],
  warnings: [],
  holders: [],
  remedies: [],
  notSeen: [],
}))

const refusal = fc.record({ name: WORDS, message: WORDS, count: fc.nat(3) }).map((one) => ({
  ...one,
  namespace: NAMESPACE,
  kind: 'Deployment',
  firstSeen: '2026-11-27T07:00:00Z',
  lastSeen: one.count > 2 ? one.name : '2026-11-28T07:00:00Z',
}))

const WAITING = fc.constantFrom('WaitingForRoom', 'WaitingInQueue', 'NeverFits', 'Tomorrow', 'constructor')
const claim = fc.record({
  namespace: fc.constant(NAMESPACE),
  name: WORDS,
  pool: fc.constantFrom('', 'pool-0'),
  state: fc.constantFrom('granted', 'waiting', 'ended', 'undecided'),
  bound: fc.boolean(),
  amounts: fc.dictionary(RESOURCE, AMOUNT, { maxKeys: 2 }),
  reason: fc.oneof(fc.constant(''), WORDS),
})
const waits = fc.record({ namespace: fc.constant(NAMESPACE), name: WORDS, reason: WAITING, for: WORDS })
const increase = explanation.map(({ object: { name }, summary, causes }) => ({
  name,
  verdict: name === 'a' ? 'clear' : 'blocked',
  summary,
  causes,
}))

/** All that a server may answer, as far as a page shows it. */
export const madeAnswers: fc.Arbitrary<Answers> = fc
  .record({
    rows,
    explained: fc.array(explanation, { minLength: 1, maxLength: 3 }),
    refusals: fc.array(refusal, { maxLength: 5 }),
    claims: fc.array(claim, { maxLength: 3 }),
    queue: fc.array(waits, { maxLength: 3 }),
    increases: fc.array(increase, { maxLength: 2 }),
  })
  .map(({ rows, explained, refusals, claims, queue, increases }) => ({
    '/api/v1/settings': SETTINGS,
    '/api/v1/quotas': { format: 1, rows, notSeen: [] },
    '/api/v1/pools': {
      format: 1,
      rows: rows.slice(0, 2).map((row, index) => ({
        pool: `pool-${index}`,
        limits: [row],
        claims: 0,
        waiting: 0,
        namespaces: [{ namespace: NAMESPACE, claims: [] }],
        queue,
        isWhole: true,
      })),
      notSeen: [],
    },
    '/api/v1/refusals': { format: 1, rows: refusals, notSeen: [] },
    [`/api/v1/namespaces/${NAMESPACE}`]: {
      format: 1,
      namespace: NAMESPACE,
      quotas: rows,
      claims,
      increases,
      blocked: explained,
      isWhole: true,
      unread: [],
      refusals,
      notSeen: [],
    },
    '/api/v1/explain': explained[0],
    '/api/v1/history': {
      format: 1,
      since: '2026-11-28T05:00:00Z',
      notSeen: [],
      rows: rows.slice(0, 5).map(({ namespace, kind, name, resource, hard, used = '0' }) => ({
        kind,
        ...(namespace === '' ? {} : { namespace }),
        name,
        resource,
        samples: [
          { at: '2026-11-28T05:00:00Z', used: '0', hard },
          { at: '2026-11-28T06:00:00Z', used, hard },
        ],
        exhaustedInSeconds: 5400,
      })),
    },
  }))
