import { Registry } from '@prometheus-io/client'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { ProbedCluster } from '../../../../test/operator/resource-quota/probed-cluster.ts'
import { reviewedRequest } from '../../../../test/operator/reviewed-request.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import { WebhookRules } from '../../../operator/shell/registered-webhooks.ts'
import { ENFORCEMENT_PATH } from './admission/quota-asking.ts'
import { ENFORCEMENT_PROBE } from './enforcement-probe.ts'
import type { ClusterEnforcement } from './enforcement-probe.ts'
import type { EnforceResourceQuota } from './options.ts'
import { QuotaReservations } from './foresight/quota-reservations.ts'
import { AdmittedUsage } from '../../generated-quota/operate/admitted-usage.ts'
import { resourceQuotaSystem } from './system.ts'

const NEVER = new AbortController().signal
const PROBE_AGAIN_MS = 300_000
const PODS = { group: '', version: 'v1', kind: 'Pod', resource: 'pods' }
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec: {} }

/** Limits nothing, so that no kind is looked for. */
const QUOTA = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { namespace: 'n', name: 'q', uid: 'q' }, spec: {} }
/** Its quota is gone. */
const LEDGER = {
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'QuantityLedger',
  metadata: { namespace: 'allot-system', name: 'left' },
  spec: { targetRef: { kind: 'ResourceQuota', namespace: 'n', name: 'left', uid: 'left' } },
}
/** The objects of a cluster by their resource. */
type Held = Readonly<Record<string, readonly KubeObject[]>>
type OnChange = (old: undefined, current: KubeObject, change: object) => void
const EMPTY = { onChange: () => () => undefined, list: () => [], get: () => undefined, synced: true }

/** Caches that hold objects for those who need them to decide, and know what is being watched. */
class Caches {
  readonly #held: Held
  readonly #open = new Set<{ readonly resource: string }>()

  constructor(held: Held) {
    this.#held = held
  }

  readonly view = ({ kind }: { readonly kind: ResourceKind }) => ({
    ...EMPTY,
    list: () => this.#held[kind.resource] ?? [],
    onChange: (handler: OnChange) => {
      for (const held of this.#held[kind.resource] ?? []) handler(undefined, held, held.metadata)
      return () => undefined
    },
  })

  readonly optionalView = ({ kind }: { readonly kind: ResourceKind }) => {
    const opened = { ...kind }
    this.#open.add(opened)
    return { ...EMPTY, release: () => void this.#open.delete(opened) }
  }

  /** How many views of a resource are open that may come and go. */
  views(wanted: string): number {
    return [...this.#open].filter(({ resource }) => resource === wanted).length
  }
}

/** The system on a cluster with these parts, in a term in which it leads, and in further ones. */
function lead(parts: ClusterEnforcement, enforce: EnforceResourceQuota = 'auto', held: Held = {}) {
  const cluster = new ProbedCluster(parts)
  const clock = new ManualClock()
  const registry = new Registry()
  const caches = new Caches(held)
  const logged: string[] = []
  const options = { enforce, warns: false, requestTimeoutMs: 2_000, workers: 1 }
  const webhooks = new WebhookRules()
  const system = resourceQuotaSystem(options, {
    systemNamespace: 'allot-system',
    admitted: new AdmittedUsage(),
    reservations: new QuotaReservations(),
  }).start({
    client: cluster.client,
    clock,
    registry,
    caches,
    logger: { info: (_: object, message: string) => logged.push(message) },
    webhooks,
    systemNamespace: 'allot-system',
  } as never)
  let requests: string[] = []
  let ends: (() => void)[] = []
  let probe: Controller | undefined
  const begin = (): void => {
    const controllers = system.controllers(() => undefined)
    probe = controllers.find(({ name }) => name === ENFORCEMENT_PROBE)
    ends = controllers.flatMap(({ name, sources }) =>
      sources.map((source) => source.follow(name, ({ key }) => requests.push(`${name} ${key}`))),
    )
  }
  begin()
  return {
    cluster,
    /** Loses the lead, and leads again. */
    leadAgain: () => {
      for (const end of ends) end()
      begin()
    },
    /** What controllers were asked to reconcile since the last call. */
    requested: async () => {
      await nextTurn()
      const made = requests
      requests = []
      return made
    },
    clock,
    logged,
    /** Answers the create of an object that a ResourceQuota could count. */
    verdict: async () =>
      (
        await webhooks
          .at(ENFORCEMENT_PATH)
          ?.handle(reviewedRequest(PODS, { namespace: 'n', object: POD }), NEVER, 1_000)
      )?.verdict,
    /** Probes to the end of a finding, and says who does what. */
    find: async () => {
      for (;;) {
        const { requeueAfter = 0 } = (await probe?.reconcile('', undefined, NEVER)) ?? { requeueAfter: PROBE_AGAIN_MS }
        await clock.advance(requeueAfter)
        if (requeueAfter === PROBE_AGAIN_MS) break
      }
      const metrics = await registry.metrics()
      const by = (part: string, who: string): boolean =>
        metrics.includes(`allot_resourcequota_enforcement{part="${part}",by="${who}"} 1`)
      return {
        allot: ['admission', 'controller'].filter((part) => by(part, 'allot')),
        cluster: ['admission', 'controller'].filter((part) => by(part, 'cluster')),
        // The metrics show quotas whoever counts them.
        counts: caches.views('resourcequotas') > 1,
        watches: caches.views('customresourcedefinitions') > 0,
      }
    },
  }
}

test('a leader that comes to know who does what reconciles all quotas, and the ledgers of those that are gone', async () => {
  const { cluster, find, leadAgain, requested } = lead({ plugin: false, controller: true }, 'auto', {
    resourcequotas: [QUOTA],
    quantityledgers: [LEDGER],
  })
  const all = ['n/q', 'n/left'].map((quota) => `resourcequota-ledgers ResourceQuota/${quota}`)
  await find()
  await requested()
  leadAgain()
  // It reconciles them before it knows, and so neither raises usage nor deletes ledgers.
  expect(await requested()).toEqual(expect.arrayContaining(all))
  await find()
  expect(await requested()).toEqual(expect.arrayContaining(all))
  await find()
  expect(await requested()).toEqual([])
  for (const parts of [
    { plugin: false, controller: false },
    { plugin: true, controller: true },
  ]) {
    cluster.parts = parts
    await find()
    expect(await requested()).toEqual(expect.arrayContaining(all))
  }
})

test('auto leaves each part to the cluster when a later probe finds it there, and takes it over when it is gone again', async () => {
  const { cluster, find, logged } = lead({ plugin: false, controller: false })
  expect(await find()).toEqual({ allot: ['admission', 'controller'], cluster: [], counts: true, watches: true })
  cluster.parts = { plugin: false, controller: true }
  expect(await find()).toEqual({ allot: ['admission'], cluster: ['controller'], counts: false, watches: true })
  cluster.parts = { plugin: true, controller: true }
  expect(await find()).toEqual({ allot: [], cluster: ['admission', 'controller'], counts: false, watches: false })
  cluster.parts = { plugin: true, controller: false }
  expect(await find()).toEqual({ allot: ['controller'], cluster: ['admission'], counts: true, watches: true })
  expect(logged.at(-2)).toBe('the cluster has no controller for ResourceQuotas; allot counts them')
})

test.each(['off', 'controller', 'admission', 'both'] as const)(
  'an API server that goes by rules of an earlier process is answered where no ResourceQuota is left: %s',
  async (enforce) => {
    expect(await lead({ plugin: false, controller: false }, enforce).verdict()).toBe('allowed')
  },
)

test('an API server that goes by rules of an earlier process must try again until auto has found who enforces ResourceQuotas', async () => {
  for (const plugin of [true, false]) {
    const { find, verdict } = lead({ plugin, controller: true })
    expect(await verdict()).toBe('retry')
    await find()
    expect(await verdict()).toBe('allowed')
  }
})
