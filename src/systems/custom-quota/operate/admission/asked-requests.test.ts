// Covers calculation-rules.ts and rule-keeper.ts, with the API server's choice of webhooks.
import type { KubeObject } from '../../../../machinery/object.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { type Hook, hooksOf, isTakenBy } from '../../../../apiserver/admission/webhook/hook.ts'
import { compileQuota } from '../../decide/compile-quota.ts'
import { countsIn } from '../../decide/object-cost.ts'
import type { LabelSelector } from '../../../../machinery/selector/label.ts'
import { allowed } from '../../../../runtime/admission/decision.ts'
import { exemptNamespaces } from '../../../../operator/webhook/asked/exempt-namespaces.ts'
import { LINGER_MS } from '../../../../operator/shell/asked-rules.ts'
import { WebhookRules } from '../../../../operator/shell/registered-webhooks.ts'
import { webhookConfiguration } from '../../../../operator/webhook/configuration.ts'
import { type AnyQuota, TrackedQuota } from '../tracking/tracked-quota.ts'
import { resourceKey } from './calculation-rules.ts'
import { QuotaRules } from '../../../counted/quota-rules.ts'
import { calculationAsking } from './calculation-asking.ts'

interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
}

const kind = (group: string, version: string, name: string, namespaced = true): Kind => ({
  group,
  version,
  kind: name,
  resource: `${name.toLowerCase()}s`,
  namespaced,
})
/** Kinds of one line are the same objects: an API server converts them for a webhook that names another version or group. */
const FAMILIES: readonly (readonly Kind[])[] = [
  [kind('', 'v1', 'Pod')],
  [kind('', 'v1', 'Service')],
  [kind('apps', 'v1', 'Deployment'), kind('extensions', 'v1beta1', 'Deployment')],
  [kind('x.io', 'v1', 'Widget'), kind('x.io', 'v2', 'Widget')],
  [kind('', 'v1', 'Node', false)],
  [kind('', 'v1', 'Namespace', false)],
]
const KINDS = FAMILIES.flat()
const EXEMPT = exemptNamespaces('allot-system')
const LABEL = 'allot.dev/exempt'
const NAMES = [...EXEMPT, 'a', 'b', 'c', 'd']
type Labels = Readonly<Record<string, string>>

/** A quota as a test describes it. `closed`: kinds whose version the API server does not serve. */
interface Described {
  readonly namespace: string | undefined
  readonly selectors: readonly LabelSelector[]
  readonly kinds: readonly number[]
  readonly closed: readonly number[]
}

let serial = 0
function trackedOf({ namespace, selectors, kinds }: Described): TrackedQuota {
  const sources = kinds.flatMap((index) => {
    const { group, version, kind: name } = KINDS[index] ?? KINDS[0]!
    return [{ apiVersion: group === '' ? version : `${group}/${version}`, kind: name, op: 'count' }]
  })
  const spec = { limit: '5', sources, ...(namespace === undefined ? { namespaceSelectors: selectors } : {}) }
  const metadata = { name: `q${serial++}`, ...(namespace === undefined ? {} : { namespace }) }
  const quota = { kind: namespace === undefined ? 'GlobalCustomQuota' : 'CustomQuota', metadata, spec }
  const tracked = new TrackedQuota(quota as unknown as AnyQuota, compileQuota(spec as never, { strictPaths: false }))
  expect(tracked.compilation).toMatchObject({ ok: true })
  tracked.resolution = {
    targets: kinds.map((index) => ({ resource: { ...KINDS[index], verbs: [], subresources: [] } })) as never,
    problems: [],
  }
  return tracked
}

/** The rules for quotas that come and go, on an API server that has labels of namespaces, and rules, as they are at the moment. */
class World {
  readonly webhooks = new WebhookRules()
  readonly clock = new ManualClock()
  readonly keeper: QuotaRules<TrackedQuota>
  quotas: readonly (readonly [Described, TrackedQuota])[] = []
  labels: readonly Labels[] = []
  readonly #names: readonly string[]
  readonly #isLabelled: boolean
  #derive: () => void = () => undefined

  constructor(names: readonly string[], isLabelled = true) {
    this.#names = names
    this.#isLabelled = isLabelled
    const label = isLabelled
      ? undefined
      : { key: LABEL, values: new Map([...EXEMPT].map((name) => [name, `${name}-x`])) }
    this.webhooks.serverOffers({ matchConditions: true, labelsNamespaces: isLabelled }, label)
    const tracker = this.#tracker() as never
    this.keeper = new QuotaRules<TrackedQuota>({
      tracker,
      asking: calculationAsking({ tracker, exempt: EXEMPT, configured: undefined }),
      webhooks: this.webhooks,
      clock: this.clock,
      handle: async () => allowed(),
      exempt: EXEMPT,
    })
  }

  set(described: readonly Described[]): void {
    const known = new Map(this.quotas)
    this.quotas = described.map((one) => [one, known.get(one) ?? trackedOf(one)])
    this.#derive()
  }

  #tracker() {
    let changes = 0
    const { quotas } = { quotas: () => this.quotas }
    return {
      get changes() {
        return ++changes
      },
      kinds: {
        get all() {
          return KINDS.flatMap((resource, index) => {
            const counting = quotas().filter(([{ kinds }]) => kinds.includes(index))
            if (counting.length === 0) return []
            const inNamespace = new Map(
              counting.flatMap(([{ namespace }]) => (namespace === undefined ? [] : [[namespace, 0]])),
            )
            const everywhere = new Map(
              counting.flatMap(([{ namespace }, one]) => (namespace === undefined ? [[one, 0]] : [])),
            )
            return [{ resource: { ...resource, subresources: [] }, inNamespace, everywhere }]
          })
        },
      },
      unserved: {
        all: () =>
          quotas().flatMap(([{ closed }, tracked]) =>
            closed.map((index) => [{ ...KINDS[index], version: '*', subresources: [] }, tracked]),
          ),
      },
      onChange: (handler: () => void) => {
        this.#derive = handler
      },
    }
  }

  hooks(): readonly Hook[] {
    const stored: KubeObject = webhookConfiguration('validating', this.webhooks.hooks, { url: 'https://x' }, '')
    return hooksOf(stored)
  }

  labelsOf(name: string): Labels {
    const labels = this.labels[this.#names.indexOf(name)]
    if (this.#isLabelled) return { ...labels, 'kubernetes.io/metadata.name': name }
    return EXEMPT.has(name) ? { ...labels, [LABEL]: `${name}-x` } : (labels ?? {})
  }

  /** Returns the resource of each call that an API server makes for a create. */
  asked(hooks: readonly Hook[], object: Kind, name: string): readonly string[] {
    return hooks.flatMap((hook) => {
      const isIn =
        (object.namespaced || object.resource === 'namespaces') && !hook.matchesNamespace(this.labelsOf(name))
      if (isIn) return []
      const family = FAMILIES.find((one) => one.includes(object)) ?? []
      const rules = [object, ...family].map((one) =>
        hook.rules.find((rule) => isTakenBy(rule, { ...one, operation: 'CREATE', subresource: '' })),
      )
      const rule = rules.find((one) => one !== undefined)
      if (rule === undefined) return []
      const [group = '', version = '', resource = ''] = [rule.groups[0], rule.versions[0], rule.resources[0]]
      return [resourceKey({ group, version, resource })]
    })
  }

  /** Returns the quotas that count an object, and may have to refuse it. */
  counted(object: Kind, name: string, quotas = this.quotas): readonly string[] {
    if ((object.namespaced || object.resource === 'namespaces') && EXEMPT.has(name)) return []
    const family = FAMILIES.find((one) => one.includes(object)) ?? []
    const keys = quotas.flatMap(([{ namespace, kinds, closed }, { compiled }]) => {
      const place = object.namespaced ? name : ''
      const counts =
        namespace === undefined
          ? compiled !== undefined && countsIn(compiled, place, this.labelsOf(name))
          : object.namespaced && namespace === name
      if (!counts) return []
      const of = (indexes: readonly number[]): readonly Kind[] =>
        indexes.flatMap((index) => family.filter((one) => one === KINDS[index]))
      return [...of(kinds).map(resourceKey), ...of(closed).map((one) => resourceKey({ ...one, version: '*' }))]
    })
    return [...new Set(keys)]
  }
}

const value = fc.constantFrom('1', '2', '3')
const key = fc.constantFrom('team', 'tier')
const selector = fc.oneof(
  fc.record({ matchLabels: fc.dictionary(key, value, { maxKeys: 2 }) }),
  fc.record({
    matchExpressions: fc.array(
      fc.oneof(
        fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values: fc.uniqueArray(value, { minLength: 1 }) }),
        fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  fc.constant({}),
)
const indexOf = (test: (one: Kind) => boolean) =>
  fc.uniqueArray(fc.constantFrom(...KINDS.keys().filter((index) => test(KINDS[index]!))), {
    minLength: 1,
    maxLength: 3,
    // A quota names a kind in one version.
    selector: (index) => `${KINDS[index]?.group}/${KINDS[index]?.kind}`,
  })
const WIDGETS = indexOf(({ group }) => group === 'x.io')
const described: fc.Arbitrary<Described> = fc.oneof(
  fc.record({
    namespace: fc.constantFrom(...NAMES),
    selectors: fc.constant([]),
    kinds: indexOf(({ namespaced }) => namespaced),
    closed: fc.oneof(fc.constant([]), WIDGETS),
  }),
  fc.record({
    namespace: fc.constant(undefined),
    selectors: fc.array(selector, { maxLength: 3 }),
    kinds: indexOf(() => true),
    closed: fc.oneof(fc.constant([]), WIDGETS),
  }),
)
const labels = fc.array(fc.dictionary(key, value), { minLength: NAMES.length, maxLength: NAMES.length })
const everyRequest = (names: readonly string[]) => KINDS.flatMap((one) => names.map((name) => [one, name] as const))

test('whatever quotas come, change and go, and whatever labels namespaces have: what is counted is asked about once, and nothing else [security/counted-is-asked]', async () => {
  const steps = fc.array(fc.record({ quotas: fc.array(described, { maxLength: 5 }), labels }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const world = new World(NAMES)
      for (const step of all) {
        world.set(step.quotas)
        world.labels = step.labels
        // At any moment, what counts as live is asked about, and nothing is asked about twice.
        for (const wait of [0, 1000, LINGER_MS]) {
          await world.clock.advance(wait)
          world.webhooks.proveLive(world.webhooks.hash)
          const hooks = world.hooks()
          const live = world.quotas.filter(([, tracked]) => world.keeper.isLiveFor(tracked))
          for (const [object, name] of everyRequest(NAMES)) {
            const asked = world.asked(hooks, object, name)
            expect(asked).toHaveLength(new Set(asked).size)
            const promised = world.counted(
              object,
              name,
              live.map(([one, tracked]) => [{ ...one, closed: [] }, tracked]),
            )
            expect([object, name, promised.filter((one) => !asked.includes(one))]).toEqual([object, name, []])
          }
          if (wait > 0) expect(live).toHaveLength(world.quotas.length)
        }
        const hooks = world.hooks()
        for (const [object, name] of everyRequest(NAMES))
          expect([object, name, world.asked(hooks, object, name).toSorted()]).toEqual([
            object,
            name,
            world.counted(object, name).toSorted(),
          ])
      }
    }),
    { numRuns: 40 },
  )
})

test('on a server that does not label namespaces with their names, what is counted is asked about once, and nothing of kinds that no quota counts, nor in exempt namespaces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(described, { maxLength: 5 }), labels, async (quotas, of) => {
      const world = new World(NAMES, false)
      world.set(quotas)
      world.labels = of
      await world.clock.advance(1000)
      const hooks = world.hooks()
      for (const [object, name] of everyRequest(NAMES)) {
        const asked = world.asked(hooks, object, name)
        const named = world.quotas.some(([{ namespace }]) => namespace !== undefined)
        const anywhere = NAMES.flatMap((other) => world.counted(object, other))
        expect(asked).toHaveLength(new Set(asked).size)
        expect([object, name, world.counted(object, name).filter((one) => !asked.includes(one))]).toEqual([
          object,
          name,
          [],
        ])
        expect(asked.filter((one) => !anywhere.includes(one))).toEqual([])
        if (EXEMPT.has(name) && object.namespaced) expect(asked).toEqual([])
        if (!named) expect(asked.toSorted()).toEqual(world.counted(object, name).toSorted())
      }
    }),
    { numRuns: 40 },
  )
})

const inNamespace = (namespace: string, ...kinds: readonly number[]): Described => ({
  namespace,
  selectors: [],
  kinds,
  closed: [],
})

test('the same holds for hundreds of namespaces, of which each counts kinds of its own', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `n${at}`)
  const world = new World(names)
  world.set([...names.map((name, at) => inNamespace(name, at % 2, 2 + (at % 3))), inNamespace('n7', 0)])
  await world.clock.advance(1000)
  const hooks = world.hooks()
  for (const [object, name] of everyRequest(names))
    expect([object, name, world.asked(hooks, object, name).toSorted()]).toEqual([
      object,
      name,
      world.counted(object, name).toSorted(),
    ])
})
