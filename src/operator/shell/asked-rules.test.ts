import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { allowed } from '../../runtime/admission/decision.ts'
import type { AskedResource } from '../webhook/configuration.ts'
import { AskedRules, LINGER_MS } from './asked-rules.ts'
import { WebhookRules } from './registered-webhooks.ts'

const asked = (resource: string, ...namespaces: readonly string[]): AskedResource => ({
  key: resource,
  rules: [{ groups: [''], resources: [resource], operations: ['CREATE'] }],
  namespaces: new Set(namespaces),
})

/** Rules of which each change is proven at once, and counted. */
function open() {
  const webhooks = new WebhookRules()
  webhooks.serverOffers({ matchConditions: true, labelsNamespaces: true })
  const clock = new ManualClock()
  const hook = { phase: 'validating', name: 'a.test', path: '/a', handle: async () => allowed() } as const
  const rules = new AskedRules({ webhooks, clock, hook })
  let { hash } = webhooks
  const world = { rules, webhooks, clock, writes: 0 }
  webhooks.onChange(() => {
    if (webhooks.hash === hash) return
    hash = webhooks.hash
    world.writes++
    queueMicrotask(() => webhooks.proveLive(webhooks.hash))
  })
  return world
}

test('a thousand quotas that come and go in one namespace change rules as often as its budget allows, and no more', async () => {
  const world = open()
  const { rules, clock } = world
  for (let at = 0; at < 1000; at++) {
    rules.need([asked('pods', 'other'), asked(`kind-${at % 60}`, 'noisy')])
    await clock.advance(133)
  }
  // 133 s: eight at once, one every two seconds, and what is needless goes with others or every five seconds.
  expect(world.writes).toBeLessThan(8 + 133 / 2 + 133 / 5 + 3)
  expect(world.writes).toBeGreaterThan(8)
})

test('quotas of one kind that come and go in a namespace change no rules, and each is live at once', async () => {
  const world = open()
  const { rules, clock } = world
  rules.need([asked('pods', 'a')])
  await clock.advance(1)
  const { writes } = world
  for (let at = 0; at < 100; at++) {
    rules.need([])
    await clock.advance(100)
    rules.need([asked('pods', 'a')])
    expect(rules.isLiveFor('pods', new Set(['a']))).toBe(true)
    await clock.advance(33)
  }
  expect(world.writes).toBe(writes)
})

test('rules that another namespace needs come within a second, however fast rules of one namespace change', async () => {
  const { rules, clock } = open()
  for (let at = 0; at < 100; at++) {
    rules.need([asked(`kind-${at}`, 'noisy')])
    await clock.advance(100)
  }
  rules.need([asked('kind-100', 'noisy'), asked('pods', 'calm')])
  await clock.advance(600)
  expect(rules.isLiveFor('pods', new Set(['calm']))).toBe(true)
})

test('rules that became needless go together, some seconds later, and with the last of them the webhook', async () => {
  const world = open()
  const { rules, clock, webhooks } = world
  rules.need([asked('pods', 'a', 'b'), asked('secrets', 'a')])
  await clock.advance(1)
  const { writes } = world
  rules.need([asked('pods', 'a')])
  await clock.advance(100)
  rules.need([])
  await clock.advance(LINGER_MS - 200)
  expect(world.writes).toBe(writes)
  await clock.advance(200)
  expect([webhooks.hooks, world.writes - writes]).toEqual([[], 1])
  expect(rules.isLiveFor('pods', new Set(['a']))).toBe(false)
})

test('whatever is needed and when: it is asked about in the end, what is not needed is not, and what is live was asked about all the time since', async () => {
  const area = fc.constantFrom('a', 'b', '*', '{"matchLabels":{"x":"y"}}')
  const need = fc.uniqueArray(
    fc.record({ resource: fc.constantFrom('pods', 'secrets'), areas: fc.uniqueArray(area) }),
    {
      selector: ({ resource }) => resource,
    },
  )
  const steps = fc.array(fc.record({ need, wait: fc.constantFrom(0, 10, 300, 3_000) }), { maxLength: 15 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { rules, clock, webhooks } = open()
      for (const { need: wanted, wait } of all) {
        rules.need(wanted.map(({ resource, areas }) => asked(resource, ...areas)))
        for (const { resource, areas } of wanted)
          for (const one of areas)
            if (rules.isLiveFor(resource, new Set([one]))) expect(isAsked(webhooks, resource, one)).toBe(true)
        await clock.advance(wait)
      }
      const last = all.at(-1)?.need ?? []
      await clock.advance(60_000)
      for (const { resource, areas } of last) expect(rules.isLiveFor(resource, new Set(areas))).toBe(true)
      const hooks = new WebhookRules()
      hooks.serverOffers({ matchConditions: true, labelsNamespaces: true })
      const other = open()
      other.rules.need(
        last.filter(({ areas }) => areas.length > 0).map(({ resource, areas }) => asked(resource, ...areas)),
      )
      expect(webhooks.hash).toBe(other.webhooks.hash)
    }),
  )
})

/** Does any webhook name the resource, for this namespace or for all? */
const isAsked = (webhooks: WebhookRules, resource: string, area: string): boolean =>
  webhooks.hooks.some(
    ({ rules, namespaceSelector }) =>
      rules.some(({ resources }) => resources.includes(resource)) &&
      (namespaceSelector === undefined ||
        area.startsWith('{') ||
        JSON.stringify(namespaceSelector).includes(`"${area}"`)),
  )
