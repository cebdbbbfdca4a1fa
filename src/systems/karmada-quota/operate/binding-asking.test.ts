import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import { objectsOf } from '../../../machinery/read.ts'
import { allowed } from '../../../runtime/admission/decision.ts'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { LINGER_MS } from '../../../operator/shell/asked-rules.ts'
import { webhooksOf } from '../../../operator/webhook/configuration.ts'
import { WebhookRules } from '../../../operator/shell/registered-webhooks.ts'
import { QuotaRules } from '../../counted/quota-rules.ts'
import { BINDING_ASKING } from './binding-asking.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

interface Vector {
  readonly name: string
  readonly kind: string
  readonly expected: Readonly<Record<string, unknown>>
}

const FILE = 'karmada.json'
const cases = vectors<readonly Vector[]>(FILE).filter(({ kind }) => kind === 'kq1056-webhook-config')

const quotaIn = (namespace: string) =>
  ({
    key: `KarmadaQuota/${namespace}/q`,
    ref: { group: 'quota.karmada.io', kind: 'KarmadaQuota', namespace, name: 'q' },
  }) as unknown as TrackedKarmadaQuota

/** The rules for quotas in these namespaces, and what has them derived again. */
function rulesFor(namespaces: readonly string[], isLabelled = true) {
  const webhooks = new WebhookRules()
  const clock = new ManualClock()
  webhooks.serverOffers({ matchConditions: true, labelsNamespaces: isLabelled })
  const quotas = namespaces.map(quotaIn)
  let derive = (): void => undefined
  const tracker = {
    all: quotas,
    get changes() {
      return quotas.length
    },
    onChange: (handler: (key: string) => void) => {
      derive = () => handler('')
      derive()
      return () => undefined
    },
  }
  const exempt = new Set<string>()
  const rules = new QuotaRules<TrackedKarmadaQuota>({
    tracker: tracker as never,
    asking: BINDING_ASKING,
    webhooks,
    clock,
    exempt,
    handle: async () => allowed(),
  })
  return { rules, webhooks, clock, quotas, derive: () => derive() }
}

eachCase(
  `${FILE}#kq1056-webhook-config`,
  cases,
  ({ name }) => name,
  ({ expected }) => {
    const { rules, ...webhook } = webhooksOf(rulesFor(['a']).webhooks.hooks)[0] ?? {}
    const [rule] = objectsOf(rules)
    const configured = Object.entries({ ...webhook, ...rule }).filter(([field]) => field in expected)
    expect(Object.fromEntries(configured)).toEqual(expected)
  },
)

test('bindings are reviewed on create and update, in the namespaces of quotas only', () => {
  const [hook] = rulesFor(['b', 'a', 'b']).webhooks.hooks
  expect(hook).toMatchObject({
    name: 'quota.karmada.io',
    path: '/validate-karmadaquota',
    namespaceSelector: {
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
    },
    sideEffects: 'NoneOnDryRun',
    rules: [{ resources: ['resourcebindings', 'resourcebindings/scale'], operations: ['CREATE', 'UPDATE'] }],
  })
})

test('a quota is not live before the API server goes by its rules, and soon after the last quota nothing is reviewed', async () => {
  const { rules, webhooks, clock, quotas, derive } = rulesFor(['a'])
  const [quota] = quotas
  expect(rules.isLiveFor(quota!)).toBe(false)
  webhooks.proveLive(webhooks.hash)
  expect(rules.isLiveFor(quota!)).toBe(true)
  quotas.pop()
  derive()
  await clock.advance(LINGER_MS)
  expect(webhooks.hooks).toEqual([])
  expect(rules.isLiveFor(quota!)).toBe(false)
})

test('quotas are proven also where the rules change before each proof', async () => {
  const { rules, webhooks, clock, quotas, derive } = rulesFor(['a'])
  const [first] = quotas
  const written = webhooks.hash
  for (const other of ['one', 'two', 'three']) {
    webhooks.set({ phase: 'validating', name: other, path: `/${other}`, rules: [], handle: async () => allowed() })
    expect(rules.isLiveFor(first!)).toBe(false)
  }
  webhooks.proveLive('0123456789abcdef')
  expect(rules.isLiveFor(first!)).toBe(false)
  webhooks.proveLive(written)
  expect(webhooks.isLive).toBe(false)
  expect(rules.isLiveFor(first!)).toBe(true)
  quotas.push(quotaIn('b'))
  derive()
  await clock.advance(1000)
  expect([rules.isLiveFor(first!), rules.isLiveFor(quotas[1]!)]).toEqual([true, false])
})

test('a quota is live at once where it changes nothing that the API server goes by, as in a further namespace on one that selects none by name', async () => {
  const { rules, webhooks, clock, quotas, derive } = rulesFor(['a'], false)
  webhooks.proveLive(webhooks.hash)
  const further = quotaIn('b')
  quotas.push(further)
  derive()
  await clock.advance(1000)
  expect([webhooks.isLive, rules.isLiveFor(further)]).toEqual([true, true])
  // On one that does, the API server has to learn of the namespace first.
  webhooks.serverOffers({ matchConditions: true, labelsNamespaces: true })
  webhooks.proveLive(webhooks.hash)
  const last = quotaIn('c')
  quotas.push(last)
  derive()
  await clock.advance(1000)
  expect([rules.isLiveFor(further), rules.isLiveFor(last)]).toEqual([true, false])
  webhooks.proveLive(webhooks.hash)
  expect(rules.isLiveFor(last)).toBe(true)
})
